"""What an agent passes: put right where it has one meaning, refused by name where it has not."""

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.env.arguments import coerce
from forge.errors import ToolError


def schema(required=("id",), defs=None, **properties):
    return {
        "type": "object",
        "properties": {"id": {"type": "string"}, **properties},
        "required": list(required),
        "additionalProperties": False,
        "$defs": defs or {},
    }


def one(rule, value, **more):
    """What one argument `x` with a rule becomes."""
    return coerce(schema((), x=rule, **more), {"x": value})["x"]


def refusal(parameters, arguments):
    with pytest.raises(ToolError) as caught:
        coerce(parameters, arguments)
    assert caught.value.kind == "invalid"
    return caught.value.message


@pytest.mark.parametrize(
    ("rule", "given_", "read"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, " -12 ", -12),
        ({"type": "integer"}, 5.0, 5),
        ({"type": "number"}, "2.50", 2.5),
        ({"type": "number"}, "3", 3),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": "string"}, 5, "5"),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2], [1, 2]),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "7"}, {"n": 7}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"q": "7"}, {"q": 7}),
        ({"enum": [1, 2]}, "2", 2),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "true", True),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5", "5"),
        ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, "5", 5),
        ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, "5", 5),
        ({}, {"any": [1, None]}, {"any": [1, None]}),
        (True, "as it is", "as it is"),
        ({"type": "file"}, "as it is", "as it is"),
    ],
)
def test_a_slip_with_one_meaning_is_put_right(rule, given_, read):
    result = one(rule, given_)
    assert (result, type(result)) == (read, type(read))


@pytest.mark.parametrize(
    ("rule", "given_", "message"),
    [
        ({"type": "integer"}, "five", 'x must be a whole number, not "five"'),
        ({"type": "integer"}, 5.5, "x must be a whole number, not 5.5"),
        ({"type": "integer"}, True, "x must be a whole number, not true"),
        ({"type": "integer"}, "9" * 30, "x must be a whole number, not "),
        ({"type": "number"}, "1e999", 'x must be a number, not "1e999"'),
        ({"type": "boolean"}, 1, "x must be true or false, not 1"),
        ({"type": "boolean"}, "yes", 'x must be true or false, not "yes"'),
        ({"type": "string"}, 5.5, "x must be a text, not 5.5"),
        ({"type": "string"}, True, "x must be a text, not true"),
        ({"type": "string"}, ["a"], 'x must be a text, not ["a"]'),
        ({"type": "array"}, "a", 'x must be a list, not "a"'),
        ({"type": "object"}, [], "x must be an object, not []"),
        (
            {"type": ["integer", "boolean"]},
            "a",
            'x must be a whole number or true or false, not "a"',
        ),
        ({"enum": ["open", "closed"]}, "shut", 'x must be one of "open", "closed", not "shut"'),
        ({"const": "a"}, "b", 'x must be one of "a", not "b"'),
        ({"type": "integer", "minimum": 1}, 0, "x must be at least 1, not 0"),
        ({"type": "integer", "maximum": 9}, "10", "x must be at most 9, not 10"),
        ({"type": "number", "exclusiveMinimum": 0}, 0, "x must be more than 0, not 0"),
        ({"type": "number", "exclusiveMaximum": 1}, 1, "x must be less than 1, not 1"),
        ({"type": "string", "minLength": 2}, "a", 'x must be at least 2 characters long, not "a"'),
        ({"type": "string", "maxLength": 1}, "ab", 'x must be at most 1 characters long, not "ab"'),
        ({"type": "array", "maxItems": 1}, [1, 2], "x must be at most 1 items long, not [1, 2]"),
        (
            {"type": "array", "items": {"type": "integer"}},
            [1, "b"],
            'x[1] must be a whole number, not "b"',
        ),
        (
            {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
            {},
            "x.city is required",
        ),
        (
            {"properties": {"city": {}}, "additionalProperties": False},
            {"citi": 1},
            'x has no "citi": did you mean "city"?',
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "a",
            'x fits none of what is allowed: x must be a whole number, not "a"; '
            'x must be true or false, not "a"',
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "a", "x must be a whole number, not"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(rule, given_, message):
    assert refusal(schema((), x=rule), {"x": given_}).startswith(message)


def test_a_missing_argument_is_named():
    assert refusal(schema(), {}) == "id is required"
    assert refusal(schema(("id", "a"), a={}), {}) == "id, a are required"


def test_an_unknown_argument_is_refused_with_the_closest_one():
    parameters = schema(due_date={"type": "string"})
    message = refusal(parameters, {"id": "1", "duedate": "x"})
    assert message == 'no argument "duedate": did you mean "due_date"?'


def test_null_for_an_optional_argument_means_not_passed():
    parameters = schema(n={"type": "integer"}, m={"type": ["integer", "null"]})
    assert coerce(parameters, {"id": "a", "n": None, "m": None}) == {"id": "a"}


def test_null_for_a_required_argument_is_passed_where_it_may_be_null():
    assert coerce(schema(("x",), x={"type": ["string", "null"]}), {"x": None}) == {"x": None}
    assert coerce(schema(("x",), x={"type": "string", "nullable": True}), {"x": None}) == {
        "x": None
    }
    assert refusal(schema(), {"id": None}) == "id must be a text, not null"


def test_null_in_an_object_is_kept_only_where_it_may_be_null():
    rule = {"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}}
    assert one(rule, {"a": None, "b": None}) == {"b": None}


def test_a_reference_is_followed_as_deep_as_the_value_goes():
    tree = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        },
    }
    parameters = schema((), {"Tree": tree}, x={"$ref": "#/$defs/Tree"})
    read = coerce(parameters, {"x": {"n": "1", "kids": [{"n": "2", "kids": []}]}})
    assert read == {"x": {"n": 1, "kids": [{"n": 2, "kids": []}]}}


def test_references_in_a_circle_take_anything():
    circle = {"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"$ref": "#/$defs/A"}]}}
    assert coerce(schema((), circle, x={"$ref": "#/$defs/A"}), {"x": [1]}) == {"x": [1]}


def test_alternatives_within_alternatives_do_not_take_for_ever():
    again = {"type": "array", "items": {"$ref": "#/$defs/A"}}
    nests = {"A": {"anyOf": [{"anyOf": [again, again]}, again, again, {"type": "integer"}]}}
    value = "x"
    for _ in range(60):
        value = [value]
    assert "x" in refusal(schema((), nests, x={"$ref": "#/$defs/A"}), {"x": value})


def test_a_pattern_of_a_document_is_never_run():
    assert one({"type": "string", "pattern": "^(a+)+$"}, "a" * 60 + "b") == "a" * 60 + "b"


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": float("nan")},
        {"id": "\ud800"},
        {"id": 10**40},
        {"id": {1: 2}},
        {"id": object()},
        {"id": "x" * 9_000_000},
        ["id"],
        "id",
        None,
    ],
)
def test_what_is_no_json_is_refused(arguments):
    assert refusal(schema(), arguments).startswith("the arguments ")


def test_a_value_nested_without_end_is_refused():
    deep = []
    deep.append(deep)
    assert "nested more than 64" in refusal(schema(), {"id": deep})
    deep = "x"
    for _ in range(70):
        deep = [deep]
    assert "nested" in refusal(schema(), {"id": deep})


def test_nothing_in_the_result_is_shared_with_what_was_passed():
    passed = {"x": [{"a": [1]}]}
    read = coerce(schema((), x={}), passed)
    read["x"][0]["a"].append(2)
    assert passed == {"x": [{"a": [1]}]}


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["5", "true", "-1.5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
RULES = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "string", "maxLength": 3},
            {"type": "integer", "minimum": -2, "maximum": 9},
            {"type": "number"},
            {"type": "boolean"},
            {"type": ["integer", "null"]},
            {"enum": ["a", 1, None]},
        ]
    ),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(lambda rules: {"anyOf": rules}, st.lists(inner, min_size=1, max_size=3))
        | st.builds(
            lambda rules, required: {
                "type": "object",
                "properties": rules,
                "required": required,
                "additionalProperties": False,
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), max_size=1),
        )
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(rule=RULES, value=VALUES)
def test_whatever_is_passed_the_result_fits_the_schema_or_is_refused(rule, value):
    parameters = schema(("x",), x=rule)
    try:
        read = coerce(parameters, {"x": value})
    except ToolError as error:
        assert error.kind == "invalid"
    else:
        jsonschema.validate(read, parameters)
        assert coerce(parameters, read) == read
