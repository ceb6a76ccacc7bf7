"""Whether a text is English, by its words: those that every English sentence is made of, and those
that are known to belong in it; or Chinese. Where few are, it is another language, or none at all.
"""

import re

LEAST = 0.5
"""The share of words that are known."""
HAN_A_WORD = 8
"""Chinese characters beside a word of another script, at least: there are always some."""
_HAN = re.compile(r"[一-鿿]")
_LATIN = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_WORDS = """
a able about above actually add after afternoon again all already also although always am an and
another any anything appreciate are around as ask asked assist at away back be because been
before being best better between both bring but by can cancel change check clear come could
create day days dear delete did do does doing don done down each either enough evening ever
every everything feel few find first for forget free from get getting give glad go going good
got grateful great had handle happen happens happy has have haven having hello help here hey hi
him her his hope hoping how however i if in instead into is isn it its just keep kind kindly
know last later least let letting like list ll look looking lot made make makes many matter may
me mean might mind more morning most move much must my name need needs new next nice no not note
noticed now of off on once one ones only or order other our out over own people please possible
put quick quickly re really regarding remember reminded remove right s same see seem send set
she should show since so some someone something soon sort sorry still such sure t take tell than
thank thanks that the their them then there these they thing things think this those though time
to today together too two under until up update updated us use ve very want wanted was we well
were what when where whether which while who whose will wish with without won wonderful wonder
wondering would yes yet you your
"""
_COMMON = frozenset(_WORDS.split())


def in_english(text: str, known: str) -> bool:
    """`known`: what may stand in it besides."""
    own = {word.casefold() for word in _WORD.findall(known)}
    words = [word.casefold().partition("'")[0] for word in _WORD.findall(text)]
    there = sum(word in _COMMON or word in own for word in words)
    return bool(words) and there >= LEAST * len(words)


def in_chinese_words(text: str, known: str) -> bool:
    """Whether most of what is not known besides is in Chinese characters."""
    own = {word.casefold() for word in _LATIN.findall(known)}
    strange = [word for word in _LATIN.findall(text) if word.casefold() not in own]
    return len(_HAN.findall(text)) > HAN_A_WORD * len(strange)
