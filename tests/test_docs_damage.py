"""However a document is damaged, it is read or refused in one line: nothing else comes out."""

import copy
import json
import random
from dataclasses import asdict

import pytest

from forge.docs import yaml
from forge.docs.read import read
from forge.errors import UserError
from tests.places import CORPUS, ROOT

WHOLE = [
    CORPUS / "openapi-examples" / "3.0" / "petstore.yaml",
    CORPUS / "openapi-examples" / "3.0" / "link-example.yaml",
    CORPUS / "openapi-examples" / "3.0" / "discriminators.yaml",
    CORPUS / "openapi-examples" / "2.0" / "petstore.yaml",
    CORPUS / "openapi-examples" / "3.1" / "petstore.yaml",
    ROOT / "docs_in" / "hotel.yaml",
]
ODD = [None, True, 0, -1.5, "", "x", "#/", [], [[]], {}, {"": {}}, {"$ref": "#/paths"}, {"$ref": 5}]


def places(value: object, at: tuple = ()) -> list[tuple]:
    found = [at] if at else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*at, key))
    return found


def damaged(document: dict, rng: random.Random) -> dict:
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 6)):
        *way, last = rng.choice(places(document))
        holder = document
        for step in way:
            holder = holder[step]
        holder[last] = copy.deepcopy(rng.choice(ODD))
    return document


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_document_with_odd_values_anywhere_is_read_or_refused(tmp_path, path):
    whole, _ = yaml.load(path.read_text(), path.name)
    file = tmp_path / "a.json"
    for seed in range(30):
        file.write_text(json.dumps(damaged(whole, random.Random(seed))))
        try:
            [doc] = read([file])
        except UserError as error:
            assert "\n" not in str(error)
            assert str(file) in error.where
        else:
            assert json.dumps(asdict(doc), ensure_ascii=False, allow_nan=False).encode()
            assert doc.operations


@pytest.mark.parametrize("path", [ROOT / "docs_in" / "projects.md", WHOLE[0]], ids=["md", "yaml"])
def test_a_text_with_lines_lost_doubled_and_swapped_is_read_or_refused(tmp_path, path):
    lines = path.read_text().splitlines(keepends=True)
    file = tmp_path / path.name
    for seed in range(25):
        rng = random.Random(seed)
        text = list(lines)
        for _ in range(rng.randint(1, 5)):
            at, other = rng.randrange(len(text)), rng.randrange(len(text))
            change = rng.randrange(4)
            if change == 0:
                del text[at]
            elif change == 1:
                text.insert(other, text[at])
            elif change == 2:
                text[at], text[other] = text[other], text[at]
            else:
                text[at] = text[at][: len(text[at]) // 2]
        file.write_text("".join(text))
        try:
            [doc] = read([file])
        except UserError as error:
            assert "\n" not in str(error)
        else:
            assert json.dumps(asdict(doc), ensure_ascii=False, allow_nan=False)
            assert doc.operations
