"""What the structural author makes of documents in prose, which have examples and no schemas."""

import pytest

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.docs.read import read
from tests.documents import doc_of
from tests.places import CORPUS
from tests.structural import draft_of, session_of, table, tool, value

PROCEDURES = """# Kites

addKite
-------

- Purpose: **Add a kite**
- Parameters:
    - **name** (string, required)
    - **span** (integer, optional)
- Result on success: **kite_id**

openKite
--------

- Purpose: **Open a kite that is folded**
- Parameters:
    - **kite_id** (integer, required)
- Result on success: **true**

getKite
-------

- Purpose: **Get a kite**
- Parameters:
    - **kite_id** (integer, required)
- Result on success: **kite properties**

Response example:

```json
{"jsonrpc": "2.0", "id": 1, "result": {"id": "1", "name": "Delta", "span": "120"}}
```

getKiteByName
-------------

- Purpose: **Get a kite by its name**
- Parameters:
    - **name** (string, required)
- Result on success: **kite properties**

getAllKites
-----------

- Purpose: **Get all kites**
- Parameters: none
- Result on success: **list of kites**

Response example:

```json
{"jsonrpc": "2.0", "id": 1, "result": [{"id": "1", "name": "Delta", "span": "120"}]}
```

updateKite
----------

- Purpose: **Update a kite**
- Parameters:
    - **kite_id** (integer)
    - **name** (string, optional)
    - **span** (integer, optional)
- Result on success: **true**

removeKite
----------

- Purpose: **Remove a kite**
- Parameters:
    - **kite_id** (integer, required)
- Result on success: **true**
"""


@pytest.fixture
def kites(tmp_path) -> Draft:
    return draft_of(doc_of(tmp_path, PROCEDURES, "kites.md"))


def test_procedures_become_tools_of_one_table(kites):
    names = {one.name for one in kites.tools}
    assert {"add_kite", "get_kite", "get_all_kites", "update_kite", "remove_kite"} <= names
    kinds = {one.name: one.type for one in table(kites.state_schema, "kites").columns}
    assert kinds == {"id": "integer", "name": "string", "span": "integer"}


def test_what_answers_the_id_of_a_new_record_answers_it(kites):
    session = session_of(kites)
    key = value(session.call("add_kite", {"name": "Box"}))
    assert isinstance(key, int)
    assert value(session.call("get_kite", {"kite_id": key}))["name"] == "Box"


def test_what_answers_true_answers_true_and_does_it(kites):
    session = session_of(kites)
    key = value(session.call("add_kite", {"name": "Box"}))
    assert value(session.call("update_kite", {"kite_id": key, "span": 80})) is True
    assert value(session.call("get_kite", {"kite_id": key}))["span"] == 80
    assert value(session.call("remove_kite", {"kite_id": key})) is True
    assert session.call("get_kite", {"kite_id": key}).failure is not None


def test_what_is_done_to_a_record_makes_none(kites):
    effects = {one.name: one.effect.verb for one in kites.tools if one.effect}
    assert [name for name, verb in effects.items() if verb == "create"] == ["add_kite"]


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("md-linkding", 20),
        ("md-html-healthchecks/api.html-fragment", 8),
        ("md-kanboard", 40),
        ("md-mcp-readmes/github.md", 8),
        ("derived-encodings/linkding-api.latin1-nbsp.md", 20),
    ],
)
def test_a_document_of_the_corpus_becomes_an_environment(name, tools):
    [doc] = read([CORPUS / name])
    drafts = StructuralAuthor().draft(doc)
    assert sum(len(draft.tools) for draft in drafts) >= tools


def test_archiving_is_told_by_the_flag_that_records_show():
    [doc] = read([CORPUS / "md-linkding"])
    archive = tool(draft_of(doc), "post_bookmarks_archive").effect
    assert archive is not None
    assert "is_archived" in str(archive)
