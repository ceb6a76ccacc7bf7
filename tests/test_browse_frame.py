"""The frame of `forge browse`: what is recognised, who is answered, what is refused, the export."""

import re
import shutil
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest

from forge.browse.server import listening
from forge.browse.things import site_of
from tests.browsing import asking, forge, sample
from tests.places import ROOT


@pytest.fixture
def pages(tmp_path):
    return asking(sample(tmp_path))


def test_the_front_page_lists_what_is_browsed(pages):
    found = pages.get("/")
    assert found.status_code == 200
    assert 'href="sample/index.html"' in found.text


def test_another_host_in_the_host_header_is_refused(pages):
    assert pages.get("/", headers={"host": "evil.example"}).status_code == 400
    assert pages.get("/", headers={"host": "localhost:8765"}).status_code == 200


def test_a_form_of_another_site_is_refused(pages):
    for headers in (
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "null"},
    ):
        assert pages.post("/sample/index.html", headers=headers).status_code == 403


def test_pages_run_no_script_but_those_of_forge(pages):
    policy = pages.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "path",
    ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py", "/x.html"],
)
def test_what_is_no_page_is_not_found(pages, path):
    assert pages.get(path).status_code == 404


def test_a_folder_that_is_nothing_to_browse_is_one_line(tmp_path):
    done = forge("browse", tmp_path, "--no-open")
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert "there is no dataset.json and no run.json" in line


def test_a_file_that_holds_something_else_is_one_line(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": 1}\n')
    done = forge("browse", file, "--no-open")
    assert done.exit_code == 2
    assert "is no file of trajectories" in done.stderr


def test_two_folders_of_one_name_have_addresses_of_their_own(tmp_path):
    one, other = sample(tmp_path / "a"), sample(tmp_path / "b")
    assert [thing.name for thing in site_of([one, other, one]).things] == ["sample", "sample-2"]


def test_a_port_in_use_gives_way_to_the_next():
    first, taken = listening(0)
    with first:
        second, found = listening(taken)
        second.close()
    assert found > taken


def test_the_export_has_every_page_and_what_it_links_to(tmp_path):
    out = tmp_path / "site"
    assert forge("browse", sample(tmp_path), "--export", out).exit_code == 0
    pages = sorted(out.rglob("*.html"))
    assert len(pages) > 1
    for page in pages:
        text = page.read_text()
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            assert (page.parent / link).is_file(), (page, link)


def test_an_export_overwrites_nothing_but_an_export(tmp_path):
    data, out = sample(tmp_path), tmp_path / "site"
    assert forge("browse", data, "--export", out).exit_code == 0
    assert forge("browse", data, "--export", out).exit_code == 0
    done = forge("browse", data, "--export", data)
    assert done.exit_code == 2
    assert "is not empty and holds no export" in done.stderr


def test_an_export_made_again_has_no_page_of_what_is_gone(tmp_path):
    data, out = sample(tmp_path), tmp_path / "site"
    assert forge("browse", data, "--export", out).exit_code == 0
    gone = out / "sample" / "environments" / "projects.html"
    mine = out / "CNAME"
    assert gone.is_file()
    mine.write_text("example.org")
    shutil.rmtree(data / "envs" / "projects")
    assert forge("browse", data, "--export", out).exit_code == 0
    assert not gone.exists()
    assert mine.exists()


def test_a_page_that_cannot_be_made_is_a_page_that_says_why(tmp_path):
    data, out = sample(tmp_path), tmp_path / "site"
    (data / "envs" / "projects" / "tools.py").unlink()
    assert forge("browse", data, "--export", out).exit_code == 0
    assert "cannot be read" in (out / "sample" / "environments" / "projects.html").read_text()


def test_ctrl_c_ends_it_quietly(tmp_path):
    data = sample(tmp_path)
    command = [sys.executable, "-m", "forge", "browse", data, "--no-open", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    address = server.stdout.readline().split()[2].rstrip(";")
    with urlopen(address) as answer:
        assert answer.status == 200
    server.send_signal(signal.SIGINT)
    _, complaint = server.communicate(timeout=30)
    assert server.returncode == 130
    assert complaint == "forge: interrupted\n"
