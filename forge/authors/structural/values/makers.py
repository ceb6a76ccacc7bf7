"""Texts of an official or a technical form: addresses, phone numbers, keys, codes, digests.

Each is made of the scene alone: whose record it is, where it is, and the dice.
"""

import hashlib
import re
from collections.abc import Callable
from random import Random

from forge.authors.structural.lexicon import lists
from forge.authors.structural.values.meaning import Meaning
from forge.authors.structural.values.phrases import is_person, name_for, phrase, thing_of
from forge.authors.structural.values.scene import Scene, slug_of


def _email(scene: Scene) -> str:
    if not is_person(scene.noun) and scene.label and scene.outer is None and " " in scene.label:
        return f"office@{slug_of(scene.label)}.example.org"
    first, last = scene.person
    return f"{slug_of(first)}.{slug_of(last)}@{scene.rng.choice(('example.org', 'example.com'))}"


def _username(scene: Scene) -> str:
    if thing_of(scene.noun) is thing_of("company"):
        return slug_of(scene.label or name_for(scene.rng, scene.noun))
    first, last = (slug_of(part).replace("-", "") for part in scene.person)
    return f"{first}.{last}"


def digits(pattern: str, rng: Random) -> str:
    """The pattern with a digit for each # and a capital for each ?."""
    text = re.sub("#", lambda _: str(rng.randint(0, 9)), pattern)
    return re.sub(r"\?", lambda _: rng.choice("ABCDEFGHJKLMNPRSTUVWXY"), text)


def token(scene: Scene) -> str:
    """24 hexadecimal digits."""
    return hashlib.sha256(str(scene.rng.getrandbits(64)).encode()).hexdigest()[:24]


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _public_key(scene: Scene) -> str:
    """A short stand-in for a public key, with the name of its owner where SSH writes it."""
    text = "".join(scene.rng.choice(_LETTERS) for _ in range(24))
    if {"gpg", "pgp", "armored"} & set(scene.noun.split()):
        block = "PGP PUBLIC KEY BLOCK"
        return f"-----BEGIN {block}----- mDMEZ{text} -----END {block}-----"
    first = slug_of(scene.person[0])
    host = scene.rng.choice(("laptop", "desktop", "work", "home"))
    return f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{text} {first}@{host}"


def _uuid(scene: Scene) -> str:
    digits = hashlib.sha256(str(scene.rng.getrandbits(64)).encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"


def _path(scene: Scene) -> str:
    folder = slug_of(phrase(scene.rng, ("{folder_name}",)))
    return f"/{folder}/{phrase(scene.rng, ('{file_name}',))}"


MAKERS: dict[Meaning, Callable[[Scene], str]] = {
    "first_name": lambda s: s.person[0],
    "last_name": lambda s: s.person[1],
    "person": lambda s: (
        " ".join(s.person) if is_person(s.noun) else phrase(s.rng, ("{first_name} {last_name}",))
    ),
    "username": _username,
    "email": _email,
    "phone": lambda s: digits(s.spot.dial, s.rng),
    "slug": lambda s: slug_of(s.label or name_for(s.rng, s.noun)),
    "street": lambda s: f"{s.rng.randint(1, 148)} {phrase(s.rng, lists()['street_name'])}",
    "address": lambda s: (
        f"{s.rng.randint(1, 148)} {phrase(s.rng, lists()['street_name'])}, {s.spot.city}"
    ),
    "line2": lambda s: phrase(s.rng, ("Flat {1-24}", "Apartment {1-60}", "Floor {1-6}")),
    "country": lambda s: s.spot.country,
    "country_code": lambda s: s.spot.code,
    "public_key": _public_key,
    "range": lambda s: f"10.{s.rng.randint(1, 240)}.0.0/{s.rng.choice((16, 20, 24))}",
    "count": lambda s: str(s.rng.randint(1, 40)),
    "decimal": lambda s: f"{s.rng.randint(2, 90)}.{s.rng.choice((0, 25, 50, 75, 90)):02d}",
    "postal": lambda s: digits(s.spot.postal, s.rng),
    "timezone": lambda s: s.spot.timezone,
    "currency": lambda s: (
        s.spot.currency
        if s.is_placed
        else s.rng.choice(("EUR", "EUR", "USD", "GBP", "CHF", "SEK"))
    ),
    "ip": lambda s: f"192.0.2.{s.rng.randint(2, 250)}",
    "mac": lambda s: s.generic.internet.mac_address(),
    "domain": lambda s: f"{slug_of(phrase(s.rng, lists()['plain_company']))}.example.org",
    "path": _path,
    "uuid": _uuid,
    "token": token,
    "isbn": lambda s: s.generic.code.isbn(),
    "barcode": lambda s: s.generic.code.ean(),
    "plate": lambda s: digits("??-###-?", s.rng),
    "iban": lambda s: f"{s.spot.code}{s.rng.randint(10, 98)} {digits('#### #### #### ##', s.rng)}",
    "last4": lambda s: digits("####", s.rng),
}  # fmt: skip
