"""Manners of speaking: how one opens, asks, goes on and closes, from a bare order to a mail.

Every phrase is neutral: it says nothing about records, so that it can stand before any wish. In a
form, {} is a clause in the imperative ("close the task …"), or for `tells` a question; a form that
does not end a sentence is not used.
"""

import random
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["add", "change", "delete", "ask", "if"]
"""What a wish does, as far as small talk about it is concerned."""


@dataclass(frozen=True, slots=True)
class Manner:
    asks: tuple[str, ...]
    """The first request."""
    more: tuple[str, ...]
    """A further one; each is used at most once."""
    tells: tuple[str, ...]
    """Before a question that is asked indirectly; "" asks it straight."""
    ifs: tuple[str, ...]
    """A condition {0}, what to do then {1}."""
    otherwise: tuple[str, ...]
    afters: tuple[str, ...]
    """What is asked once all else is done, straight {0} or indirectly {1}."""
    openers: tuple[str, ...] = ("",)
    """Before the first sentence; one that ends with a comma leaves it without a capital."""
    closings: tuple[str, ...] = ("",)
    small_talk: float = 0.0
    """How often a remark about what is wanted comes before it."""
    joins: float = 0.6
    """How often two short requests become one sentence."""


TERSE = Manner(
    asks=("{}.",),
    more=("{}.", "Also {}.", "And {}.", "Plus: {}."),
    tells=("",),
    ifs=("if {0}, {1}.",),
    otherwise=("Otherwise {}.", "If not, {}."),
    afters=("After that, {0}?", "Then tell me {1}.", "Once done: {0}?"),
    openers=("", "", "", "", "Quick one: "),
    closings=("", "", "", "Thanks.", "Thx."),
)
PLAIN = Manner(
    asks=(
        "please {}.", "can you {}?", "could you {}?", "I need you to {}.", "can you {}, please?",
        "I'd like to {}.", "would you {}?", "I want to {}.", "could you {}, please?",
    ),
    more=(
        "Also, please {}.", "And please {}.", "Please also {}.", "I'd also like you to {}.",
        "Can you also {}?",
    ),
    tells=("", "", "can you tell me ", "could you check ", "I'd like to know "),
    ifs=("if {0}, please {1}.", "please check whether {0}, and if so, {1}."),
    otherwise=("Otherwise, {}.", "If not, {}.", "Otherwise, please {}."),
    afters=(
        "After that, {0}?", "Then tell me {1}, please.", "Once that's done, {0}?",
        "When you're done, can you tell me {1}?", "After that, please tell me {1}.",
    ),
    openers=("", "", "", "Hi, ", "Hello, ", "Hi there, ", "Hey, ", "Good morning. "),
    closings=("", "", "", "", "Thanks!", "Thank you."),
)  # fmt: skip
POLITE = Manner(
    asks=(
        "could you please {}?", "would you please {}?", "could I ask you to {}?",
        "I'd be grateful if you could {}.", "would it be possible to {}?",
        "may I ask you to {}?", "I was hoping you could {}.", "if possible, please {}.",
    ),
    more=(
        "Could you also {}, please?", "I'd also be glad if you could {}.", "Please also {}.",
        "If you could also {}, that would be great.", "And would you please {}?",
    ),
    tells=(
        "could you please tell me ", "would you mind checking ", "could you look up ",
        "I'd be grateful if you could tell me ", "could you let me know ",
    ),
    ifs=("could you please check whether {0}, and if so, {1}?", "if {0}, could you please {1}?"),
    otherwise=("If not, could you please {}?", "Otherwise, please {}."),
    afters=(
        "Once that is done, could you tell me {1}?", "After that, please let me know {1}.",
        "When that is done, {0}?", "And could you tell me {1} after that?",
    ),
    openers=(
        "Hello, ", "Good morning, ", "Good afternoon, ", "Hi there, ", "Excuse me, ", "", "Hello! ",
    ),
    closings=("", "Thank you!", "Thanks a lot!", "Thank you very much.", "Thanks in advance."),
    small_talk=0.15,
    joins=0.4,
)  # fmt: skip
CHATTY = Manner(
    asks=(
        "can you {}?", "could you {}?", "would you mind if I asked you to {}?", "I want to {}.",
        "please {}.", "I think it's time to {}.", "can you do me a favour and {}?",
        "we'd better {}.",
    ),
    more=(
        "Oh, and please {}.", "While you're at it, {}.", "And could you {} too?",
        "Oh, before I forget: {}.", "One more thing: {}.", "And please {} as well.",
        "Since you're there anyway, {}.",
    ),
    tells=(
        "", "do you happen to know ", "can you tell me ", "can you find out ", "I need to know ",
    ),
    ifs=(
        "can you check whether {0}? If so, {1}.", "if {0}, please {1}.",
        "I'm not sure whether {0}; if so, please {1}.",
    ),
    otherwise=("If not, just {}.", "Otherwise, {}.", "If not, please {}."),
    afters=(
        "Once that's done, {0}?", "And after that, can you tell me {1}?",
        "When you're done with that, {0}?", "Then let me know {1}, will you?",
    ),
    openers=(
        "Hi! ", "Hey! ", "Hey there! ", "Hi, it's me again. ", "Morning! ", "Hello again! ",
        "Hi, hope you're well. ", "Okay, so ", "Right, ", "",
    ),
    closings=("", "", "Thanks!", "That's all for now.", "Cheers!", "Thanks, you're a star.",
              "Much appreciated!", "Thanks a bunch!"),
    small_talk=0.75,
    joins=0.4,
)  # fmt: skip
MAIL = Manner(
    asks=(
        "please {}.", "I would like to ask you to {}.", "I am writing to ask you to {}.",
        "would you please {}?", "this is a request to {}.", "kindly {}.",
    ),
    more=(
        "In addition, please {}.", "Please also {}.", "Furthermore, I would like you to {}.",
        "I would also ask you to {}.", "Finally, please {}.",
    ),
    tells=(
        "I would like to know ", "please let me know ", "could you please tell me ",
        "for our records, please tell me ",
    ),
    ifs=("if {0}, please {1}.", "should it turn out that {0}, please {1}."),
    otherwise=("Otherwise, please {}.", "If that is not the case, please {}."),
    afters=(
        "Once this is done, please let me know {1}.", "After that, please tell me {1}.",
        "When this is done, I would also like to know {1}.",
    ),
    openers=("Dear team, ", "Hello, ", "Good morning, ", "Dear colleagues, ", "Good day, "),
    closings=(
        "Thank you.", "Many thanks and kind regards.", "Kind regards.", "Best regards.",
        "Thank you in advance.", "With many thanks.",
    ),
    small_talk=0.3,
    joins=0.25,
)  # fmt: skip

MANNERS = (TERSE, PLAIN, PLAIN, PLAIN, POLITE, POLITE, CHATTY, CHATTY, MAIL)

_ONE: dict[Kind, tuple[str, ...]] = {
    "add": (
        "I have something new for you.", "There's something to enter.", "We're growing.",
        "I've got a new entry.", "There's something missing in the system.",
    ),
    "change": (
        "There's been a small change of plan.", "Something has changed.", "We need a small update.",
        "I have a correction.", "Things have moved on a bit.", "I got that wrong last time.",
    ),
    "delete": (
        "I'm tidying up.", "I'm clearing out what we no longer need.", "Time for some cleaning up.",
        "I'm sorting through a few old things.", "We're making some room.",
    ),
    "ask": (
        "I have a quick question.", "I'm just checking something.", "I'm preparing a short report.",
        "I'm putting some figures together.", "Somebody just asked me this.", "I can't find this.",
    ),
    "if": (
        "I haven't looked it up myself.", "This one depends.", "I'd like to be on the safe side.",
    ),
}  # fmt: skip
_SEVERAL = (
    "I have a few things for you.", "A couple of things.", "There are several things to do.",
    "I'm working through my list.", "A few things have piled up.",
)  # fmt: skip
_ANY = (
    "I'm in a bit of a hurry.", "I'm on my phone, so I'll keep it short.", "Sorry to bother you.",
    "I'm just going through everything.", "I can't get into the system from here.",
    "I'm between two meetings.", "I hope this is the right place to ask.",
)  # fmt: skip


def remark(kinds: list[Kind], rng: random.Random) -> str:
    """Small talk before a request of these kinds."""
    fitting = _ONE[kinds[0]] if len(kinds) == 1 else _SEVERAL
    return rng.choice([*fitting, *rng.sample(_ANY, 3)])


@dataclass(slots=True)
class Turn:
    """The phrases that one question draws, none twice."""

    manner: Manner
    rng: random.Random
    used: set[str] = field(default_factory=set)

    def draw(self, forms: tuple[str, ...]) -> str:
        fresh = [f for f in forms if f not in self.used] or list(forms)
        form = self.rng.choice(fresh)
        self.used.add(form)
        return form


def idle_phrases() -> list[str]:
    """Whatever may stand before, between or after requests and means nothing, the longest first."""
    found = {phrase for manner in MANNERS for phrase in (*manner.openers, *manner.closings)}
    found |= {phrase for phrases in _ONE.values() for phrase in phrases} | {*_SEVERAL, *_ANY}
    return sorted({phrase.strip() for phrase in found} - {""}, key=lambda p: (-len(p), p))
