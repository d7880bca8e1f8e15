"""Checks that every object type is complete: documented, served by the API, audited, simulated and archived. A new type
fails the tests until all aspects exist.

The tests only read sources and documents, so they need no built program. They derive tables, rows, members and routes
from the sources. WORDS and EXEMPT contain names and exemptions that cannot be derived.
"""

import dataclasses
import fnmatch
import functools
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class Words:
    api: str = ""    # value of `object` or `kind` in the API's JSON; default: the enumerator
    guide: str = ""  # pattern of the type's name in the guides; default: the enumerator, singular or plural
    seen: str = ""   # pattern in a simulator auditor's code; default: the row, its type, or a list of rows


WORDS = {
    "api_key": Words(guide="API keys?"),
    "idempotency_record": Words(guide="Idempotency-Key", seen=r"\bReply\b"),
    "delivery": Words(api="webhook_delivery", guide="deliver(y|ies)"),
    "exception_case": Words(api="case", guide="cases?"),
    "entry": Words(guide="entr(y|ies)"),
    "event": Words(guide="GET /v1/events"),
    "money_return": Words(api="return", guide=r"refund\.returned"),
    "webhook_endpoint": Words(guide="endpoints?"),
}

NOT_IN_AN_ORDER = "not part of an order: stays in the store when orders are archived"
POSITION = "one row with the position of the identity job: the metric finality_identity_lag_seconds shows it"
NO_FUNDS_STATEMENTS = "simulated channels have no funds statements"
NO_IDENTITY_JOB = "simulated worlds run no identity job: they check the money identities of all orders at the end"
IN_BATCHES = "only read in pages of the list"

# Aspects that a type does not need or does not have yet, with the reason. A test fails if an exemption is obsolete.
EXEMPT = {
    ("receipt", "show"): "GET /v1/payments/{id} shows the receipts of a payment",
    ("money_return", "show"): IN_BATCHES + " of a refund",
    ("channel_settlement", "show"): "part of a payment or refund: the field channel_settlement",
    ("channel_settlement", "list"): "part of a payment or refund: the field channel_settlement",
    ("entry", "show"): IN_BATCHES + " of an account",
    ("event", "show"): IN_BATCHES + " of an object",
    ("merchant", "list"): "not built yet: GET /v1/merchants",
    ("api_key", "show"): "not built yet: GET /v1/api_keys/{id}",
    ("api_key", "list"): "not built yet: GET /v1/api_keys",
    ("idempotency_record", "show"): "the stored reply to a request: repeating the request with its Idempotency-Key returns it",
    ("idempotency_record", "list"): "the stored reply to a request: clients know their own keys",
    ("api_key", "auditor"): "not built yet: simulated worlds make no API keys",
    ("api_key", "bug"): "not built yet: simulated worlds make no API keys",
    ("channel_account", "auditor"): "worlds have fixed accounts without rows; order_auditor.cpp checks their use",
    ("channel_account", "bug"): "worlds have no rows of them; the planted bug is a refund over another account",
    ("channel_account", "archive"): NOT_IN_AN_ORDER,
    ("channel_rate", "auditor"): "a rate needs a channel account, and worlds have no rows of them; their statements are compared with a fixed rate",
    ("channel_rate", "bug"): "worlds have no rows of rates; the planted bug is another fee that is overlooked",
    ("channel_rate", "archive"): NOT_IN_AN_ORDER,
    ("merchant", "archive"): NOT_IN_AN_ORDER,
    ("api_key", "archive"): NOT_IN_AN_ORDER,
    ("account", "archive"): NOT_IN_AN_ORDER,
    ("entry", "archive"): "entries are not archived: balances are the sums of their entries",
    ("webhook_endpoint", "archive"): NOT_IN_AN_ORDER,
    ("idempotency_record", "archive"): "part of a request, not of an order: expiry deletes it",
    ("transfer", "archive"): NOT_IN_AN_ORDER,
    ("hold", "archive"): NOT_IN_AN_ORDER,
    ("price", "archive"): NOT_IN_AN_ORDER,
    ("adjustment", "archive"): NOT_IN_AN_ORDER,
    ("fee", "archive"): NOT_IN_AN_ORDER,
    ("unknown_receipt", "archive"): NOT_IN_AN_ORDER,
    ("statement", "archive"): NOT_IN_AN_ORDER,
    ("statement_total", "show"): "part of a statement: the field totals",
    ("statement_total", "list"): "part of a statement: the field totals",
    ("statement_total", "guide"): "part of a statement",
    ("statement_total", "archive"): NOT_IN_AN_ORDER,
    ("statement_movement", "show"): "part of a statement: the field movements",
    ("statement_movement", "list"): "part of a statement: the field movements",
    ("statement_movement", "guide"): "part of a statement",
    ("statement_movement", "archive"): NOT_IN_AN_ORDER,
    ("statement_movement", "auditor"): NO_FUNDS_STATEMENTS,
    ("statement_movement", "bug"): NO_FUNDS_STATEMENTS,
    ("identity_check", "show"): POSITION,
    ("identity_check", "list"): POSITION,
    ("identity_check", "archive"): NOT_IN_AN_ORDER,
    ("identity_check", "auditor"): NO_IDENTITY_JOB,
    ("identity_check", "bug"): NO_IDENTITY_JOB,
    ("difference", "archive"): NOT_IN_AN_ORDER,
}


# Functions that read the sources.


class Sources:
    """Reads files of the repository. `changed` is {path: text} of files to replace or add."""

    def __init__(self, changed=None):
        self._changed = changed or {}

    @functools.cache
    def text(self, path):
        if path in self._changed:
            return self._changed[path]
        return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""

    @functools.cache
    def code(self, pattern):
        """Returns the concatenated text of the files that match the glob pattern, without // comments."""
        paths = {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)}
        paths |= {path for path in self._changed if fnmatch.fnmatch(path, pattern)}
        return "\n".join(re.sub(r"(^|\s)//.*", "", self.text(path)) for path in sorted(paths))

    @functools.cached_property
    def contract(self):
        return yaml.load(self.text("openapi.yaml"), Loader=yaml.CSafeLoader)


def enumerators(sources):
    body = re.search(r"enum class ObjectType\b[^{]*\{([^}]*)\}", sources.code("src/model/ids.h"))[1]
    return re.findall(r"\w+", body)


@functools.cache
def fields(code, struct):
    """Returns the pairs (type, name) of the members of the struct or class."""
    body = re.search(rf"^(?:struct|class) {struct} \{{\n(.*?)^\}};", code, re.M | re.S)
    return re.findall(r"^  ([\w:][\w:<>, ]*?) (\w+)(?: = [^;]*|\{\})?;", body[1], re.M) if body else []


# Structs that hold rows: the aggregates, the working set, and an archived order.
AGGREGATES = ["OrderAggregate", "DeliveryAggregate", "UnknownReceiptAggregate", "StatementAggregate",
              "DifferenceAggregate"]
HOLDERS = [*AGGREGATES, "WorkingSet"]
ARCHIVED = ["OrderAggregate", "DeliveryAggregate", "WholeOrder", "WholeDelivery"]


@functools.cache
def holders_code(sources):
    return sources.code("src/model/**/*.h") + sources.code("src/store/archive/*.h")


@dataclasses.dataclass(frozen=True)
class Object:
    """An ObjectType with its row struct and table. The row of type x is X if `XId = Id<ObjectType::x>` exists; `row`
    and `table` are empty for a type without a row."""

    type: str
    row: str
    table: str

    @property
    def words(self):
        words = WORDS.get(self.type, Words())
        return Words(words.api or self.type, words.guide or self.type.replace("_", " ") + "s?", words.seen)


def object_of(sources, type_name):
    model = sources.code("src/model/**/*.h")
    alias = re.search(rf"using (\w+)Id = Id<ObjectType::{type_name}>;", model)
    row = re.search(rf'FINALITY_ROW\(\s*{alias[1]},\s*"(\w+)"', model) if alias else None
    return Object(type_name, alias[1], row[1]) if row else Object(type_name, "", "")


def members_of(sources, thing, holders):
    """Returns the names of members of the structs `holders` that contain rows of the type. In WorkingSet, the aggregate
    contains its root row."""
    code = holders_code(sources)
    roots = {name for name in AGGREGATES if fields(code, name) and fields(code, name)[0][0] == thing.row}
    return {name for holder in holders for kind, name in fields(code, holder)
            if ({thing.row} | (roots if holder == "WorkingSet" else set())) & set(re.findall(r"\w+", kind))}


def is_described(sources, thing, holders):
    """Returns whether a struct with BOOST_DESCRIBE has a member with rows of the type. Code that iterates over its
    members then handles the rows."""
    described = dict(re.findall(r"BOOST_DESCRIBE_(?:STRUCT|CLASS)\((\w+),\s*\(\),\s*\(([^)]*)\)", holders_code(sources)))
    return any(members_of(sources, thing, [holder]) & set(re.findall(r"\w+", described.get(holder, "")))
               for holder in holders)


def names(sources, thing, code):
    """Returns whether the code mentions the row struct, its type, or a member that contains such rows."""
    members = "|".join(sorted(members_of(sources, thing, HOLDERS)))
    pattern = rf"\b{thing.row}\b|\bObjectType::{thing.type}\b" + (rf"|[.:>](?:{members})\b" if members else "")
    return re.search(pattern, code) is not None


def blocks(code, begin):
    """Yields the argument text of every call whose text starts with `begin`, up to the closing parenthesis."""
    for start in re.finditer(re.escape(begin), code):
        depth, at = 1, start.end()
        while depth and at < len(code):
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        yield code[start.end():at - 1]


# Aspects. Each function returns whether the sources implement the aspect for an object type.


def resolved(sources, node):
    while "$ref" in node:
        node = functools.reduce(lambda part, name: part[name], node["$ref"].split("/")[1:], sources.contract)
    return node


def object_names(sources, schema):
    """Returns the API names of an object with that schema: the value of its field `object`, and the values of its field
    `kind`."""
    schema = resolved(sources, schema)
    found = set().union(*(object_names(sources, part) for part in schema.get("allOf", [])))
    name, kind = (schema.get("properties", {}).get(key) for key in ("object", "kind"))
    if isinstance(name, dict) and "const" in name:
        kinds = resolved(sources, kind).get("enum", []) if isinstance(kind, dict) else []
        found |= {name["const"], *(kinds if name["const"] in kinds else [])}
    return found


def listed_names(sources, schema):
    """Returns the API names of the objects in the array properties of that schema."""
    schema = resolved(sources, schema)
    parts = [listed_names(sources, part) for part in schema.get("allOf", [])]
    lists = [resolved(sources, one) for one in schema.get("properties", {}).values() if isinstance(one, dict)]
    return set().union(*parts, *(object_names(sources, one["items"]) for one in lists if "items" in one))


def has_route(sources, thing, names_of_schema):
    served = set(re.findall(r'add_route\(api, "GET", "([^"]+)"', sources.code("src/http/**/*.cpp")))
    for path, methods in sources.contract["paths"].items():
        answer = resolved(sources, methods.get("get", {}).get("responses", {}).get("200", {}))
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        if path in served and schema and thing.words.api in names_of_schema(sources, schema):
            return True
    return False


def has_schema(sources, thing):
    return f"| `{thing.table}` |" in sources.text("docs/reference/schema.md")


def has_show(sources, thing):
    return has_route(sources, thing, object_names)


def has_list(sources, thing):
    return has_route(sources, thing, listed_names)


def has_timeline(sources, thing):
    """Returns whether the timeline has a name for the type. noun_of() falls back to the enumerator, so every type has
    one."""
    noun = re.search(r"noun_of\(ObjectType type\) \{(.*?)\n\}", sources.code("src/query/timeline_text.cpp"), re.S)
    return noun is not None and "name_of(type)" in noun[1]


def is_counted(sources, thing):
    """Returns whether `finality verify` counts the rows of the type. The audit has a list of tables, or uses all
    described members."""
    function = re.search(r"audited_tables\(\) \{(.*?)\n\}", sources.code("src/store/audit/audit.cpp"), re.S)
    tables = re.findall(r'"(\w+)"', function[1]) if function else []
    return thing.table in tables if tables else is_described(sources, thing, HOLDERS)


def counts_steps(sources, thing):
    """Returns whether the row has a version and is described. The audit queries about version steps cover all such
    rows."""
    columns = {name for _, name in fields(sources.code("src/model/**/*.h"), thing.row)}
    return "version" in columns and is_described(sources, thing, HOLDERS)


def has_question(sources, thing):
    """Returns whether an audit query reads the table of the type and returns ids of the type."""
    if counts_steps(sources, thing) and is_counted(sources, thing):
        return True
    asked = sources.code("src/store/audit/*.cpp")
    return (re.search(rf"""["']{thing.type}["']""", asked) is not None
            and re.search(rf"\b(?:FROM|JOIN) {thing.table}\b", asked) is not None and is_counted(sources, thing))


@functools.cache
def asked_invariants(sources):
    """Returns the constants of tests/audit/damage.h whose value is the name of an audit query of src/store/audit/."""
    questions = [re.escape(text).replace(r"\{\}", r"\w+")
                 for text in re.findall(r'"(\d+ [^"]*)"', sources.code("src/store/audit/*.cpp"))]
    constants = re.findall(r'std::string (k\w+) = "(\d+ [^"]*)";', sources.code("tests/audit/damage.h"))
    return {name for name, text in constants if re.fullmatch("|".join(questions), text)}


def has_corruption(sources, thing):
    """Returns whether a corruption of tests/audit changes the table and expects an audit query to report a row of the
    type."""
    changes = rf'\b(?:set|remove|copy)\(\s*"{thing.table}"|\b(?:UPDATE|DELETE FROM|INSERT INTO) {thing.table}\b'
    return any(re.search(changes, one) and
               asked_invariants(sources) & set(re.findall(rf'\{{(k\w+),\s*"{thing.type}",', one))
               for one in blocks(sources.code("tests/audit/*corruptions.cpp"), "list.push_back("))


def has_auditor(sources, thing):
    code = "".join(sources.code(f"src/sim/auditors/{name}.cpp")
                   for name in ("*_auditor", "*/*_auditor", "end_audit"))
    return re.search(thing.words.seen, code) is not None if thing.words.seen else names(sources, thing, code)


def bug_bodies(sources):
    """Yields the source code of the functions that implement the simulator's injected bugs."""
    code = sources.code("src/sim/bugs/*.cpp")
    for hook in re.findall(r'\{\.name = "[^"]*",\s*\.\w+ = ([^}]*)\}', code):
        function = re.findall(r"\w+", hook)[-1]
        body = re.search(rf"^\w[^\n;]*\b{function}\([^;{{]*\{{(?:[^\n]*\}}$|.*?^\}}$)", code, re.M | re.S)
        if body:
            yield body[0]


def has_bug(sources, thing):
    return any(names(sources, thing, body) for body in bug_bodies(sources))


def has_sample(sources, thing):
    return (is_described(sources, thing, HOLDERS)
            or re.search(rf"\b{thing.row}\b", sources.code("src/store/testing/sample_rows.h")) is not None)


def has_archive(sources, thing):
    members = "|".join(sorted(members_of(sources, thing, ARCHIVED)))
    by_hand = members and re.search(rf"\.(?:{members})\b", sources.code("src/store/archive/line.cpp"))
    return is_described(sources, thing, ARCHIVED) or bool(by_hand)


def has_guide(sources, thing):
    pages = sources.code("docs/guide/*.md").replace(sources.text("docs/guide/add-a-row.md"), "")  # fictitious
    pages += sources.text("README.md")
    return re.search(rf"\b{thing.words.guide}\b", pages, re.I) is not None


@dataclasses.dataclass(frozen=True)
class Aspect:
    is_there: object
    what_to_do: str


ASPECTS = {
    "schema": Aspect(has_schema, "add a line for its table to docs/reference/schema.md"),
    "show": Aspect(has_show, "add a GET route that answers with one to src/http/ and openapi.yaml"),
    "list": Aspect(has_list, "add a GET route that answers with a list of them to src/http/ and openapi.yaml"),
    "timeline": Aspect(has_timeline, "let noun_of() in src/query/timeline_text.cpp name it"),
    "question": Aspect(has_question, "describe the aggregate that holds it and give it a version, or add a question to src/store/audit/"),
    "corruption": Aspect(has_corruption, "add a corruption of its table with a finding about it to tests/audit/"),
    "auditor": Aspect(has_auditor, "make an auditor of src/sim/ look at its rows"),
    "bug": Aspect(has_bug, "add a planted bug about its rows to src/sim/bugs/store_bugs.cpp or decision_bugs.cpp"),
    "sample": Aspect(has_sample, "add a row of it to src/store/testing/sample_rows.h, or describe the aggregate that holds it"),
    "archive": Aspect(has_archive, "add it to line_of() in src/store/archive/line.cpp, or describe its aggregate"),
    "guide": Aspect(has_guide, "mention it in docs/guide/ or README.md; its pattern is in WORDS"),
}


def has(sources, type_name, aspect):
    thing = object_of(sources, type_name)
    return bool(thing.row) and ASPECTS[aspect].is_there(sources, thing)


def missing(sources, type_name):
    return [aspect for aspect in ASPECTS if not has(sources, type_name, aspect)]


# Tests.

HERE = Sources()


@pytest.mark.parametrize("type_name", enumerators(HERE))
def test_a_row_has_its_id(type_name):
    assert object_of(HERE, type_name).row, (
        f"no row has the id of ObjectType::{type_name}: add `using …Id = Id<ObjectType::{type_name}>` to "
        "src/model/ids.h and a described row with FINALITY_ROW to src/model/objects/")


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("type_name", enumerators(HERE))
def test_every_type_has_every_aspect(type_name, aspect):
    is_there = has(HERE, type_name, aspect)
    reason = EXEMPT.get((type_name, aspect))
    if reason is None:
        assert is_there, f"ObjectType::{type_name} has no {aspect}: {ASPECTS[aspect].what_to_do}"
    else:
        assert not is_there, f"ObjectType::{type_name} has its {aspect}: remove the exemption '{reason}'"


def test_words_and_exemptions_name_types_and_aspects():
    types = set(enumerators(HERE))
    assert set(WORDS) <= types
    assert {type_name for type_name, _ in EXEMPT} <= types
    assert {aspect for _, aspect in EXEMPT} <= set(ASPECTS)
    assert all(EXEMPT.values())


def with_coupon(**further):
    """Returns the sources with the additional object type `coupon`. `further` is {path: text} of more changed files."""
    path = "src/model/ids.h"
    ids = re.sub(r"(enum class ObjectType\b[^}]*)\}", r"\1  coupon,\n}", HERE.text(path))
    return Sources({path: ids, **further})


def test_a_new_enumerator_fails_every_aspect():
    sources = with_coupon()
    assert enumerators(sources) == [*enumerators(HERE), "coupon"]
    assert missing(sources, "coupon") == list(ASPECTS)


COUPON = """
using CouponId = Id<ObjectType::coupon>;
struct Coupon {
  CouponId id;
};
FINALITY_ROW(Coupon, "coupons", root, "id", "")
"""
# For each aspect of the test type `coupon`: the file, and the text to append so that the aspect is complete.
COMPLETE = {
    "schema": ("docs/reference/schema.md", "| `coupons` | a coupon | itself | id |"),
    "corruption": ("tests/audit/corruptions.cpp",
                   'list.push_back({"CouponDeleted", remove("coupons", id), {{kStepRow, "coupon", id}}});'),
    "auditor": ("src/sim/auditors/end_audit.cpp", "void check(const Coupon& coupon);"),
    "bug": ("src/sim/bugs/store_bugs.cpp",
            'void lose(WorkingSet& rows) { lose_rows<Coupon>(rows); }\n{.name = "lost", .session = altered<lose>},'),
    "sample": ("src/store/testing/sample_rows.h", "Coupon coupon;"),
    "guide": ("README.md", "Coupons lower the price."),
}


# Aspects that every object type has without additional code.
BY_ITSELF = {"timeline"}


def test_a_new_row_fails_every_aspect_that_needs_code():
    assert missing(with_coupon(**{"src/model/objects/coupon.h": COUPON}), "coupon") == [
        name for name in ASPECTS if name not in BY_ITSELF]


@pytest.mark.parametrize("aspect", COMPLETE)
def test_an_aspect_is_found_where_it_is_added(aspect):
    path, text = COMPLETE[aspect]
    sources = with_coupon(**{"src/model/objects/coupon.h": COUPON, path: HERE.text(path) + "\n" + text + "\n"})
    assert missing(sources, "coupon") == [name for name in ASPECTS if name not in BY_ITSELF | {aspect}]


def test_a_member_of_a_described_aggregate_has_sample_and_archive_line():
    path = "src/model/aggregate.h"
    aggregate = HERE.text(path).replace("  Order order;\n", "  Order order;\n  std::vector<Coupon> coupons;\n")
    held = {"src/model/objects/coupon.h": COUPON, path: aggregate}
    assert {"sample", "archive"} <= set(missing(with_coupon(**held), "coupon"))
    held[path] += "BOOST_DESCRIBE_STRUCT(OrderAggregate, (), (order, payments, coupons))\n"
    assert not {"sample", "archive"} & set(missing(with_coupon(**held), "coupon"))


def test_a_removed_aspect_is_missing():
    """Checks the aspect functions themselves: each reports an aspect as missing after its code is removed."""
    cuts = {
        "timeline": ("hold", "src/query/timeline_text.cpp", "name_of(type)", "std::string()"),
        "question": ("fee", "src/model/objects/fee.h", "std::int64_t version = 1;", ""),
        "show": ("hold", "src/http/resources/holds.cpp", '"GET", "/v1/holds/{id}"', '"GET", "/v1/gone/{id}"'),
        "list": ("hold", "src/http/resources/holds.cpp", '"GET", "/v1/holds"', '"GET", "/v1/gone"'),
    }
    for aspect, (type_name, path, old, new) in cuts.items():
        assert old in HERE.text(path)
        changed = Sources({path: HERE.text(path).replace(old, new)})
        assert set(missing(changed, type_name)) - set(missing(HERE, type_name)) == {aspect}
