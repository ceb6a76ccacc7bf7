"""Word lists for writing questions: how records relate, and what verbs a state change has."""

from forge.types.intent import Plain

PREPOSITIONS = {
    # what a record belongs to or is about -> how that is said
    **dict.fromkeys(("project", "board", "team", "committee", "list", "task list", "plan"), "on"),
    **dict.fromkeys(
        (
            "folder", "category", "section", "department", "room", "collection", "library",
            "warehouse", "group", "channel", "playlist", "workspace", "album", "course", "class",
            "organization", "repository", "city", "region", "country", "cart", "basket",
            "catalogue",
        ),
        "in",
    ),
    **dict.fromkeys(
        ("venue", "hotel", "branch", "clinic", "location", "store", "shop", "office", "site"), "at"
    ),
    **dict.fromkeys(
        (
            "event", "conference", "patient", "customer", "guest", "order", "booking", "member",
            "session", "product", "visit", "client", "attendee", "student", "pet", "invoice",
            "reservation", "account", "borrower", "reader",
        ),
        "for",
    ),
    **dict.fromkeys(
        ("doctor", "dentist", "practitioner", "therapist", "trainer", "instructor", "provider"),
        "with",
    ),
    **dict.fromkeys(("author", "writer", "artist", "publisher", "speaker", "teacher"), "by"),
    "assignee": "assigned to",
    "assigned to": "assigned to",
    "assigned user": "assigned to",
    "owner": "owned by",
    "creator": "created by",
    "created by": "created by",
    "reporter": "reported by",
    "organizer": "organised by",
    "organiser": "organised by",
    "supplier": "from",
    "sender": "from",
    "manager": "managed by",
    "book": "of",
    "title": "of",
    "parent": "under",
    "license": "under",
    "licence": "under",
}  # fmt: skip

PAIRED_PREPOSITIONS = {
    # (record, what it refers to) -> how that is said, where the record decides
    ("hold", "book"): "on",
    ("reservation", "book"): "for",
    ("copy", "book"): "of",
    ("line", "order"): "on",
    ("order line", "order"): "on",
    ("item", "order"): "on",
    ("comment", "task"): "on",
    ("story", "task"): "on",
    ("comment", "issue"): "on",
    ("review", "product"): "of",
    ("rating", "product"): "of",
    ("ticket", "customer"): "from",
    ("attachment", "task"): "on",
    **{
        (said, person): "by"
        for said in ("comment", "gist", "post", "reply", "review", "note", "article", "commit")
        for person in ("user", "account", "profile")
    },
}

PEOPLE = {
    "user", "customer", "patient", "member", "doctor", "guest", "author", "employee", "person",
    "contact", "owner", "student", "teacher", "driver", "agent", "attendee", "speaker", "client",
    "practitioner", "reader", "borrower", "instructor", "participant", "visitor", "candidate",
    "dentist", "nurse", "trainer", "tenant", "staff member", "volunteer", "organizer", "host",
}  # fmt: skip

_ALSO_PEOPLE = {
    "cardholder", "payer", "payee", "subscriber", "recipient", "collaborator", "assignee", "worker",
    "colleague", "applicant", "artist", "writer", "performer", "character", "lead", "pilot",
}  # fmt: skip


def is_person(noun: str) -> bool:
    """Whether the noun is one for people: "customer", "issuing cardholder"."""
    last = noun.rsplit(maxsplit=1)[-1] if noun else ""
    return noun in PEOPLE or last in PEOPLE or last in _ALSO_PEOPLE


TITLED = {
    "task", "issue", "ticket", "story", "subtask", "note", "post", "article", "page", "goal",
    "document", "card", "checklist", "milestone", "book", "song", "track", "movie", "film", "talk",
    "recipe", "lesson", "course", "poll", "survey", "deal", "reminder", "to-do",
}  # fmt: skip

STATE_COLUMNS = {"status", "state", "condition", "availability", "stage", "phase"}
ADJECTIVES = {"genre", "kind", "type"}
"""Enum columns whose values stand well before the noun: "a history book", "family rooms"."""
PLACES = {"category", "team", "department", "section", "group", "region", "folder", "city"}
"""Kinds that one speaks of being in: "in the toys category", "on the design team"."""
_NOUNS_THEMSELVES = {
    "novel", "other", "none", "general", "unknown", "default", "all",
    "children", "adults", "kids", "women", "men",
    "creating", "deleting", "updating", "migrating", "resizing", "upgrading", "deploying",
}  # fmt: skip


def leads_noun(value: Plain) -> bool:
    """Whether a state or kind can stand before a noun: not "novel books", "other rooms"."""
    text = str(value.value)
    return text.lower() not in _NOUNS_THEMSELVES and len(text) > 1


KIND_COLUMNS = {"type", "kind", "category", "class"}

TO_STATE = {
    # a state -> the verb that brings it about
    "closed": "close", "archived": "archive", "cancelled": "cancel", "canceled": "cancel",
    "published": "publish", "approved": "approve", "rejected": "reject", "reopened": "reopen",
    "paused": "pause", "resumed": "resume", "suspended": "suspend", "activated": "activate",
    "deactivated": "deactivate", "confirmed": "confirm", "shipped": "ship", "locked": "lock",
    "resolved": "resolve", "renewed": "renew", "declined": "decline", "accepted": "accept",
    "withdrawn": "withdraw", "postponed": "postpone", "started": "start", "finished": "finish",
    "open": "reopen", "active": "reactivate", "blocked": "block", "hidden": "hide",
}  # fmt: skip

GRADES = {
    "priority", "visibility", "color", "colour", "severity", "quality", "importance", "urgency",
    "access", "permission", "tier", "difficulty", "frequency", "delivery", "status",
}  # fmt: skip
"""Enum columns whose values stand before them as adjectives: "high priority", "blue colour"."""

CREATE_VERBS = {
    "": ("add", "create", "add", "create", "set up"),
    "appointment": ("book", "make"),
    "booking": ("make",),
    "reservation": ("make",),
    "visit": ("schedule",),
    "session": ("schedule",),
    "event": ("set up", "create"),
    "meeting": ("schedule",),
    "order": ("place",),
    "patient": ("register", "add"),
    "customer": ("add", "register"),
    "guest": ("register", "add"),
    "member": ("register", "add"),
    "loan": ("record", "enter"),
    "hold": ("place", "put in"),
    "payment": ("record",),
    "project": ("create", "set up", "start"),
    "pet": ("add", "register"),
    "tag": ("add", "create"),
    "label": ("add", "create"),
    "pet owner": ("add", "register"),
    "section": ("add", "create"),
    "message": ("send", "write"),
    "invoice": ("issue", "create"),
    "charge": ("make",),
    "refund": ("issue", "make"),
    "ticket": ("issue", "create"),
    "comment": ("leave", "add"),
    "note": ("leave", "add"),
    "review": ("leave", "add"),
    "task": ("create", "add"),
    "user": ("add", "create an account for"),
}

WHEN_DATES = {"date", "day", "on", "when", "scheduled", "scheduled at", "time", "scheduled for"}
PRICES = {"price", "cost", "fee", "rate", "amount", "total", "charge", "fare", "budget", "salary"}
