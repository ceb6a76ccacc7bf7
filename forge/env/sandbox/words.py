"""Every word that a tool may use: the table API, syntax, builtins, modules, attributes.

These are lists of what is allowed, never of what is forbidden, so that what nobody thought of is
refused. A word is here only if it does the same in both back ends and cannot reach, or keep,
anything beyond the values of one call.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TABLE_API = _words("get find count insert update delete save given page me now today fail")

FAILURES = frozenset({"invalid", "not_found", "forbidden", "conflict"})
"""The kinds of `fail`."""

NODES = _words(
    """
    Module FunctionDef Lambda arguments arg Return Assign AugAssign AnnAssign For While If Raise
    Try Assert Import ImportFrom alias Expr Pass Break Continue ExceptHandler keyword

    Match match_case MatchValue MatchSingleton MatchSequence MatchMapping MatchStar MatchAs MatchOr

    BoolOp NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp
    comprehension Compare Call FormattedValue JoinedStr Constant Attribute Subscript Starred Name
    List Tuple Slice Load Store And Or Add Sub Mult Div Mod Pow LShift RShift BitOr BitXor BitAnd
    FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    """
)
"""The kinds of syntax: the names of the classes of `ast`."""

BUILTINS = _words(
    """
    abs all any bin bool chr dict divmod enumerate filter float frozenset hex int isinstance len
    list map max min oct ord pow print range repr reversed round set sorted str sum tuple zip
    ArithmeticError AssertionError AttributeError Exception IndexError KeyError LookupError
    OverflowError RecursionError RuntimeError TypeError ValueError ZeroDivisionError
    """
)

MODULES: dict[str, frozenset[str]] = {
    "collections": frozenset({"Counter", "defaultdict"}),
    "copy": frozenset({"copy", "deepcopy"}),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone"}),
    "decimal": frozenset(
        {"Decimal", "ROUND_CEILING", "ROUND_DOWN", "ROUND_FLOOR", "ROUND_HALF_EVEN"}
        | {"ROUND_HALF_UP", "ROUND_UP"}
    ),
    "json": frozenset({"dumps", "loads"}),
    "math": _words(
        """
        acos asin atan atan2 ceil comb copysign cos degrees dist e exp fabs factorial floor fmod
        fsum gcd hypot inf isclose isfinite isinf isnan lcm log log10 log2 nan perm pi pow prod
        radians sin sqrt tan tau trunc
        """
    ),
    "re": _words(
        """
        A ASCII DOTALL I IGNORECASE M MULTILINE S compile escape findall fullmatch match search
        split sub
        """
    ),
    "typing": frozenset({"Any", "Literal"}),
}

METHODS = _words(
    """
    capitalize casefold center count endswith expandtabs find index isalnum isalpha isascii
    isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join
    ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition
    rsplit rstrip split splitlines startswith strip swapcase title upper zfill

    append clear copy extend insert pop remove reverse sort

    fromkeys get items keys popitem setdefault update values

    add difference discard intersection isdisjoint issubset issuperset symmetric_difference union

    combine date fromisoformat isoformat isoweekday strftime strptime time total_seconds weekday

    normalize quantize

    end findall fullmatch group groupdict groups match search span start sub

    most_common total
    """
)
"""Of texts, lists, dicts, sets, dates, decimals, matches and counters, one paragraph each. Only
those that both back ends have, and none that reads the clock. To be called at once: in Monty a
method is no value."""

FIELDS = _words("day days hour microsecond minute month second seconds tzinfo utc year")
"""Attributes of dates that are values."""
