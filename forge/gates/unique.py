"""`unique`: no other task of the environment has the same wishes and values, nor nearly the same
question. Run once over a data set, in canonical order.

Near-linear: each task is looked up by three digests, and compared word by word with at most
`NEAREST` others that come to the same end.
"""

import json
import re
from dataclasses import dataclass, field
from hashlib import blake2b

from forge.gates.wording import without_facts
from forge.tasks.speech.manner import idle_phrases
from forge.types.data import Json
from forge.types.task import Task

NEAREST = 16
APART = 2
"""Words of sense by which two questions must differ at least to be two, where the end is one."""
_FILLER = {
    "a", "ah", "also", "am", "an", "and", "any", "are", "as", "ask", "at", "be", "best",
    "check", "checking", "could", "d", "dear", "do", "does", "excuse", "favour", "find",
    "for", "forget", "furthermore", "get", "glad", "good", "grateful", "great", "happen",
    "have", "he", "hello", "hey", "hi", "hoping", "how", "i", "if", "in", "is", "it", "just",
    "kindly", "know", "let", "like", "ll", "look", "me", "mind", "morning", "need", "now",
    "of", "oh", "on", "one", "out", "please", "possible", "quick", "right", "s", "should",
    "since", "so", "such", "tell", "thank", "thanks", "that", "the", "them", "then", "there",
    "thing", "this", "to", "too", "up", "us", "very", "want", "was", "we", "well", "were",
    "what", "when", "whether", "which", "while", "who", "will", "with", "would", "you",
    "your",
    *"请您你我把的了吗吧呢啊好谢麻烦能否可以帮忙想要需下一们这那个是在给和与及并还也都就",
}  # fmt: skip
_MARK = 4
_WORD = re.compile(r"[\w'.-]*\w")
_CHINESE = re.compile(r"[^\W一-鿿]+|[一-鿿]")
"""A character for a word: Chinese has no spaces."""
_IDLE = re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(p.casefold()) for p in idle_phrases())})")


@dataclass(slots=True)
class Seen:
    """What the tasks so far were, in a form to look up: digest -> id. Some 600 bytes a task."""

    structures: dict[bytes, str] = field(default_factory=dict)
    questions: dict[bytes, str] = field(default_factory=dict)
    ends: dict[bytes, list[tuple[bytes, str]]] = field(default_factory=dict)
    """The words of each are kept as one hash of `_MARK` bytes a word."""
    compared: int = 0
    """How often two questions were held against each other word by word."""


def structure(task: Task) -> str:
    """Wishes and their values, whatever the facts are called: tasks that differ in words only have
    the same, and so have those whose wishes and conditions come in another order that does not
    matter."""
    wishes = task.intent.model_dump(mode="json")["wishes"]
    said = [_text(_masked(wish, wishes, number)) for number, wish in enumerate(wishes)]
    actor = task.actor if any('"kind":"actor"' in wish for wish in said) else None
    ordered = said if task.intent.in_order else sorted(said)
    return _text([task.env, ordered, actor, task.intent.in_order])


def _masked(value: Json, wishes: list[Json], number: int) -> Json:
    """A part of wish `number`, without names of facts, conditions sorted, and instead of the number
    of an earlier wish that wish itself."""
    if isinstance(value, list):
        return [_masked(each, wishes, number) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _masked(each, wishes, number) for name, each in value.items() if name != "fact"}
    if isinstance(made.get("where"), list):
        made["where"].sort(key=_text)
    maker = value.get("wish")
    if value.get("kind") == "made" and isinstance(maker, int) and 0 <= maker < number:
        made["wish"] = _masked(wishes[maker], wishes, maker)
    return made


def words_of(task: Task) -> frozenset[str]:
    """What carries the sense of the question, without order: its words but for filler, and the
    values of its facts, however they are said."""
    said = _IDLE.sub(" ", without_facts(task).casefold())
    found = _CHINESE.findall(said) if task.lang == "zh" else _WORD.findall(said)
    words = {word.strip(".'-") for word in found} - _FILLER
    return frozenset(words | {f"={_text(fact.value)}" for fact in task.facts})


def gist(task: Task) -> str:
    return _text([task.env, sorted(words_of(task))])


def unique(task: Task, seen: Seen) -> str | None:
    """The reason why the task repeats one of `seen`; if it does not, it is remembered."""
    marks = _marks(task)
    reason = _repeated(marks, seen)
    if reason is None:
        _remember(marks, task.id, seen)
    return reason


def _remember(marks: "_Marks", id: str, seen: Seen) -> None:
    seen.structures[marks.wishes] = seen.questions[marks.question] = id
    seen.ends.setdefault(marks.end, []).append((b"".join(sorted(marks.words)), id))


def repeated(task: Task, seen: Seen, but: str | None = None) -> str | None:
    """The same, and nothing is remembered. `but`: the id of a task that may be like it."""
    return _repeated(_marks(task), seen, but)


def remember(task: Task, seen: Seen) -> None:
    """The task is one of `seen` from now on, whatever it repeats."""
    _remember(_marks(task), task.id, seen)


@dataclass(frozen=True, slots=True)
class _Marks:
    wishes: bytes
    question: bytes
    end: bytes
    words: frozenset[bytes]


def _marks(task: Task) -> _Marks:
    words = words_of(task)
    return _Marks(
        _digest(structure(task)),
        _digest(_text([task.env, sorted(words)])),
        _digest(_end(task)),
        frozenset(_digest(word, _MARK) for word in words),
    )


def _repeated(own: _Marks, seen: Seen, but: str | None = None) -> str | None:
    for kind, key, known in (
        ("wishes", own.wishes, seen.structures),
        ("question", own.question, seen.questions),
    ):
        if key in known and known[key] != but:
            return f"{known[key] or 'an earlier task'} has the same {kind}"
    for marks, name in seen.ends.get(own.end, [])[-NEAREST:]:
        if but is not None and name == but:
            continue
        seen.compared += 1
        other = {marks[at : at + _MARK] for at in range(0, len(marks), _MARK)}
        if max(len(own.words - other), len(other - own.words)) < APART:
            return f"{name or 'an earlier task'} has nearly the same question and the same end"
    return None


def _end(task: Task) -> str:
    """Where the task starts and ends, and with what values."""
    golden = {table: rows.model_dump(mode="json") for table, rows in task.golden.items()}
    values = sorted(_text(fact.value) for fact in task.facts)
    return _text([task.env, task.base, golden, [due.value for due in task.dues], values])


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(text: str, size: int = 12) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=size).digest()
