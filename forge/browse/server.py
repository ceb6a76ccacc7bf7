"""The pages over HTTP, for the person at this machine.

Always holds: it listens on 127.0.0.1 and answers to that name alone, so that a page of another site
cannot read it by a name of its own; it takes no form that another site sends; pages run no script
and take no style but those that ship with forge.
"""

import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forge.browse.front import FRONT, front_values
from forge.browse.page import Action, Asked, Missing, Page
from forge.browse.pages import ACTIONS, PAGES
from forge.browse.render import render
from forge.browse.things import Kind, Site
from forge.browse.worlds import Worlds
from forge.errors import UserError

HOST = "127.0.0.1"
NAMES = [HOST, "localhost"]
TRIED = 20
"""Ports, from the one that is asked for on."""
LARGEST_FORM = 1 << 20
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none, a browser hides the origin of our own forms
    "Cache-Control": "no-store",
}


def application(site: Site, worlds: Worlds) -> Starlette:
    """To be served, or to be asked in this process. `worlds`: where tools run; the caller closes
    it."""
    routes: list[BaseRoute] = [
        Route("/", _front(site)),
        Route(f"/{FRONT}", _front(site)),
        Mount("/static", StaticFiles(packages=[("forge.browse", "static")])),
        *(
            Route(f"/{address}", _shown(site, worlds, pages))
            for address, pages in _by_address(PAGES)
        ),
        *(
            Route(f"/{address}", _done(site, worlds, actions), methods=["POST"])
            for address, actions in _by_address(ACTIONS)
        ),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=NAMES, www_redirect=False),
            Middleware(Guard),
        ],
        exception_handlers={404: _no_such_address(site)},
    )


class Guard:
    """Puts the headers on every answer, and refuses forms of other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] == "http" and scope["method"] == "POST" and _is_strange(scope):
            refusal = PlainTextResponse("refused: the form is of another site\n", 403)
            await refusal(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)


def _is_strange(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    return headers.get("origin", f"http://{headers.get('host')}") != f"http://{headers.get('host')}"


def _front(site: Site) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return HTMLResponse(render("front.html.j2", FRONT, site, front_values(site), live=True))

    return endpoint


Each = TypeVar("Each", Page, Action)


def _by_address(found: Sequence[Each]) -> list[tuple[str, Mapping[Kind, Each]]]:
    """Things of several kinds may have a page at the same place."""
    return [
        (address, {each.kind: each for each in found if each.address == address})
        for address in dict.fromkeys(each.address for each in found)
    ]


def _shown(site: Site, worlds: Worlds, pages: Mapping[Kind, Page]) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        def answer() -> Response:
            asked = _asked(site, worlds, pages, request, dict(request.query_params))
            page = pages[asked.thing.kind]
            text = render(page.template, _address(request), site, page.show(asked), live=True)
            return Response(text, media_type=_media(page.template))

        return _answered(site, request, answer)

    return endpoint


def _media(template: str) -> str:
    return "text/javascript" if template.endswith(".js.j2") else "text/html"


def _done(
    site: Site, worlds: Worlds, actions: Mapping[Kind, Action]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_FORM:
                return PlainTextResponse("refused: the form is too large\n", 413)
        form = dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))

        def answer() -> Response:
            asked = _asked(site, worlds, actions, request, form)
            address = actions[asked.thing.kind].act(asked)
            return RedirectResponse(f"/{address}", 303)

        return await run_in_threadpool(_answered, site, request, answer)

    return endpoint


def _asked(
    site: Site, worlds: Worlds, kinds: Collection[Kind], request: Request, query: dict[str, str]
) -> Asked:
    names: dict[str, str] = dict(request.path_params)
    name = names.pop("thing")
    thing = site.named(name)
    if thing is None or thing.kind not in kinds:
        raise Missing("there is no such page")
    return Asked(site, thing, worlds, names, query, live=True)


def _answered(site: Site, request: Request, answer: Callable[[], Response]) -> Response:
    """What cannot be shown is a page that says why."""
    try:
        return answer()
    except Missing as missing:
        return _refused(site, request, str(missing), 404)
    except UserError as error:
        return _refused(site, request, str(error), 503)


def _refused(site: Site, request: Request, why: str, status: int) -> Response:
    values = {"title": "Cannot be shown", "why": why}
    return HTMLResponse(
        render("refused.html.j2", _address(request), site, values, live=True), status
    )


def _no_such_address(site: Site) -> Callable[[Request, Exception], Response]:
    def handler(request: Request, error: Exception) -> Response:
        return _refused(site, request, "there is no such page", 404)

    return handler


def _address(request: Request) -> str:
    return request.url.path.lstrip("/") or FRONT


def listening(port: int) -> tuple[socket.socket, int]:
    """A socket on the port, or on the next free one, and which that is. 0: any. UserError if none
    of the next is free."""
    for tried in range(port, min(port + TRIED, 1 << 16)) if port else (0,):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOST, tried))
            found.listen(128)
        except OSError:
            found.close()
            continue
        return found, int(found.getsockname()[1])
    raise UserError(f"port {port} and those after it are taken", mend="choose another --port")


def serve(site: Site, listener: socket.socket) -> None:
    """Until it is interrupted."""
    with Worlds() as worlds:
        config: Any = uvicorn.Config(application(site, worlds), log_level="warning", lifespan="off")
        uvicorn.Server(config).run(sockets=[listener])
