"""What an action does to a state, as far as its verb says: close -> closed, archive -> archived.

Always holds: a verb that is not known gives its regular participle only.
"""

from forge.authors.structural.words import Words, word_set

_STATES: dict[str, tuple[str, ...]] = {
    "close": ("closed",),
    "reopen": ("open", "opened", "reopened"),
    "open": ("open", "opened"),
    "cancel": ("cancelled", "canceled"),
    "complete": ("completed", "complete", "done"),
    "finish": ("finished", "done", "completed", "complete"),
    "end": ("ended", "finished"),
    "stop": ("stopped",),
    "start": ("started", "in_progress", "running", "active", "ongoing"),
    "begin": ("begun", "started", "in_progress"),
    "pause": ("paused", "on_hold"),
    "hold": ("on_hold", "held"),
    "resume": ("active", "running", "in_progress", "open"),
    "activate": ("active", "activated"),
    "reactivate": ("active",),
    "deactivate": ("inactive", "deactivated"),
    "enable": ("enabled", "active"),
    "disable": ("disabled", "inactive"),
    "suspend": ("suspended",),
    "reinstate": ("active",),
    "submit": ("submitted",),
    "ship": ("shipped",),
    "pay": ("paid",),
    "send": (),
    "return": ("returned",),
    "check_in": ("checked_in",),
    "checkin": ("checked_in",),
    "check_out": ("checked_out",),
    "checkout": ("checked_out",),
    "sell": ("sold",),
    "withdraw": ("withdrawn",),
    "freeze": ("frozen",),
    "hide": ("hidden",),
    "undo": (),
    "set": (),
    "put": (),
    "do": (),
    "win": ("won",),
    "lose": ("lost",),
    "take": ("taken",),
    "draft": ("draft",),
    "unpublish": ("draft", "unpublished"),
    "mark_complete": ("completed", "complete", "done"),
    "mark_completed": ("completed", "complete", "done"),
    "mark_done": ("done", "completed"),
    "mark_paid": ("paid",),
    "mark_read": ("read",),
    "retire": ("retired",),
    "void": ("void", "voided"),
}
_DOUBLED = word_set("cancel stop ship plan drop ban tag pin unpin submit")


def states_of(verb: Words) -> tuple[str, ...]:
    """The values that a state has after the action, as snake case; the likeliest first."""
    name = "_".join(verb)
    if name in _STATES:
        return _STATES[name]
    if len(verb) == 2 and verb[0] in ("mark", "make", "set"):
        return (verb[1],)
    return (participle(verb[0]),) if len(verb) == 1 else ()


def participle(verb: str) -> str:
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o", "u", ""):
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


_OPPOSITES = {
    "unarchive": "archive",
    "unpublish": "publish",
    "unlock": "lock",
    "unblock": "block",
    "unpin": "pin",
    "unstar": "star",
    "unmute": "mute",
    "unsuspend": "suspend",
    "uncomplete": "complete",
    "reopen": "close",
    "deactivate": "activate",
    "disable": "enable",
    "unhide": "hide",
    "restore": "archive",
    "unfreeze": "freeze",
}


def opposite(verb: str) -> str | None:
    """The verb whose effect this one takes back."""
    return _OPPOSITES.get(verb)


_IRREGULAR_PARTICIPLES = word_set("lent made sent taken begun paid sold bought held given done")


def is_participle(word: str) -> bool:
    return word in _IRREGULAR_PARTICIPLES or (word.endswith("ed") and len(word) > 3)
