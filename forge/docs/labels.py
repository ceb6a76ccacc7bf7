"""What a line such as "Query parameters:" says of what stands below it, in the words people use.

English, Chinese and Japanese. A label is short: a heading, a bold line, or words with a colon.
"""

import re

_CODES = r"(?:codes?|status(?:es)?)"
_EXAMPLE = r"(?:examples?|samples?)"
_ASKED = r"(?:requests?|payloads?|bod(?:y|ies)|calls?|inputs?|usages?|curl|commands?)"
_GIVEN = r"(?:responses?|results?|outputs?|answers?|returns?|repl(?:y|ies))"
_FIELDS = r"(?:param(?:eter)?s?|arguments?|args|inputs?|options?|fields?|attributes?|variables?)"
_WRONG = r"(?:errors?|failures?|failed|unsuccessful|[45]\d\d|[45]xx)"
_PART = (
    r"(?: (?:body|bodies|fields?|format|values?|types?|data|attributes|properties|param(?:eter)?s"
    r"|schema|structure|objects?))?"
)
_KINDS = (
    ("statuses", rf"(?:{_GIVEN}|http|errors?|status) {_CODES}|{_CODES}|errors?(?: responses?)?"),
    ("statuses", r"状态码|错误码|返回码|ステータスコード|エラーコード|エラー"),
    ("failure", rf".*\b{_WRONG}\b.*\b(?:{_GIVEN}|{_EXAMPLE}|bod(?:y|ies))\b.*"),
    ("failure", rf"(?:{_GIVEN} )?[45](?:\d\d|xx)(?: [a-z]+){{0,4}}|失败"),
    ("failure", rf"{_GIVEN} on (?:failure|error)|on failure"),
    ("response example", rf"{_EXAMPLE}\b.*\b{_GIVEN}|.*\b{_GIVEN} {_EXAMPLE}\b.*"),
    ("response example", r"(?:响应|返回|返回值|输出|レスポンス|応答)(?:示例|样例|例|サンプル)"),
    ("request example", rf"{_EXAMPLE}\b.*\b{_ASKED}|.*\b{_ASKED} {_EXAMPLE}\b.*"),
    ("request example", r"(?:请求|调用|输入|リクエスト)(?:示例|样例|例|サンプル)"),
    ("request example", r"requests?|usage|curl"),
    ("example", rf"{_EXAMPLE}|示例|样例|例|サンプル"),
    ("path", rf"(?:path|url|uri|route) {_FIELDS}|路径参数|パスパラメータ"),
    ("query", rf"(?:query|querystring|query string|url query|get)(?: {_FIELDS})?"),
    ("query", r"查询参数|クエリパラメータ"),
    ("header", rf"(?:request |http )?headers?(?: {_FIELDS})?|请求头|ヘッダ"),
    ("body", rf"(?:request |json |post |form )*(?:body|payload|data)(?: {_FIELDS})?|请求体|ボディ"),
    ("parameters", rf"(?:(?:optional|required|request|input|tool|function|method) )*{_FIELDS}"),
    ("parameters", r"(?:请求|输入|可选|必选|必填)?(?:参数|入参)|パラメータ|引数|入力"),
    (
        "result",
        rf"(?:success(?:ful)? )?{_GIVEN}{_PART}(?: on success)?(?: 2(?:\d\d|xx)(?: [a-z]+)*)?",
    ),
    ("result", rf"success(?: {_GIVEN})?|on success|2\d\d(?: [a-z]+){{0,3}}(?: {_GIVEN})?"),
    ("result", r"(?:返回|响应|输出)(?:值|参数|结果|字段|体)?|戻り値|レスポンス|出力"),
    ("purpose", r"purpose|description|summary|描述|说明|功能|用途|目的|説明"),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_MARKS = re.compile(r"[*_`()（）]")
_ANSWERS = re.compile(
    r"(?:it |this |the (?:call|endpoint|api|server) |on success,? ?)*"
    r"(?:will )?(?:returns?|responds?|answers?|(?:the |a |sample |example )*responses?)\b",
    re.I,
)
_SENDS = re.compile(
    r"(?:send|post|pass|(?:the |a |sample |example )*(?:request|payload)s?)\b", re.I
)
_LABELLED = re.compile(r"^(\*\*)?([^\n:：*`]{1,80}?)(\*\*)?[ ]?[:：](\*\*)?(?:\s+|$)(.*)$", re.S)
_BOLD = re.compile(r"^\*\*([^\n*]{1,80})\*\*$")


def kind_of(words: str) -> str | None:
    """What the words of a label announce; None where they are none."""
    said = " ".join(_MARKS.sub(" ", words).lower().split()).strip(" .:：")
    said = re.sub(r"^(?:the|an?) ", "", re.sub(r"^(?:\d+[.)]?|第\S步) ", "", said))
    for kind, pattern in _PATTERNS:
        if pattern.fullmatch(said):
            return kind
    return None


def label_of(text: str) -> tuple[str, str] | None:
    """The kind of the label that a text begins with, and what follows it; None where it begins
    with none."""
    if bold := _BOLD.match(text):
        kind = kind_of(bold[1])
        return (kind, "") if kind else None
    found = _LABELLED.match(text)
    kind = kind_of(found[2]) if found else None
    return (kind, found[5]) if found and kind else None


def announced(text: str) -> str:
    """The kind of example that a sentence ending in a colon leads to; empty where it leads to
    none: "Returns the created kite:"."""
    if not text.rstrip().endswith((":", "：")) or len(text) > 200:
        return ""
    if _ANSWERS.match(text):
        return "response example"
    return "request example" if _SENDS.match(text) else ""


def is_required(label: str) -> bool | None:
    """Whether a label says of all below it that they must be there, or that they need not."""
    said = label.lower()
    if re.search(r"\boptional\b|可选", said):
        return False
    return True if re.search(r"\b(?:required|mandatory)\b|必选|必填|必須", said) else None
