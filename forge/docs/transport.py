"""What only carries a call, and so is no argument: who calls and how it travels.

Credentials by their usual names, headers of HTTP and of proxies, cookies of a session. A path part
always says what is called, and what stands in a body is content.
"""

import re

_TRANSPORT = (
    "accept accept-charset accept-encoding accept-language authorization cache-control connection"
    " content-disposition content-encoding content-length content-md5 content-type cookie date dnt"
    " etag expect forwarded host idempotency-key if-match if-modified-since if-none-match"
    " if-unmodified-since origin pragma prefer proxy-authorization range referer te traceparent"
    " tracestate user-agent via x-api-key x-api-version x-auth-token x-correlation-id x-csrf-token"
    " x-forwarded-for x-forwarded-host x-forwarded-proto x-http-method-override x-idempotency-key"
    " x-real-ip x-request-id x-requested-with x-trace-id"
)
_TRANSPORT_NAMES = frozenset(_TRANSPORT.split())
_CREDENTIAL = re.compile(
    r"^(x[-_])?(api[-_]?key|apikey|access[-_]?token|auth([-_]?token)?|authorization|bearer([-_]?token)?"
    r"|oauth[-_]?token|id[-_]?token|jwt|client[-_]?secret|authentication|user[-_]?agent)$",
    re.IGNORECASE,
)
_VERSION_HEADER = re.compile(r"^([a-z0-9]+-)*version$", re.IGNORECASE)
_SESSION_COOKIE = re.compile(r"(sess|sid$|csrf|xsrf|token|auth|jwt|login)", re.IGNORECASE)


def carries(name: str, location: str) -> bool:
    """Whether a parameter called `name` in query, header or cookie only carries the call."""
    if location not in ("query", "header", "cookie"):
        return False
    if _CREDENTIAL.match(name):
        return True
    if location == "header":
        return name.lower() in _TRANSPORT_NAMES or bool(_VERSION_HEADER.match(name))
    return location == "cookie" and bool(_SESSION_COOKIE.search(name))
