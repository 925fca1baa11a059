"""Every kind of type gives an answer schema: its name, its form on the wire, and the value read back."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, TypeVar

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypeAliasType, TypedDict

from answergraph import AgentSpecError
from answergraph.answers.schemas.schema_kinds import answer_schemas
from tests.suite.verdicts import Verdict

T = TypeVar("T")


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]


class Node(BaseModel):
    number: int
    children: list["Node"] = []


class Box(BaseModel, Generic[T]):
    item: T


@dataclass
class Pair(Generic[T]):
    left: T
    right: T


class Row(TypedDict):
    at: datetime.date


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int


class Scores(RootModel[list[int]]):
    """The scores."""


class Boxed(RootModel[Verdict]):
    """A verdict in a separate model."""


def even(number: int) -> int:
    if number % 2:
        raise ValueError("must be even")
    return number


def no_lives_left(animal: Any) -> Any:
    if getattr(animal, "lives", 1) == 0:
        raise ValueError("no lives left")
    return animal


UserId = NewType("UserId", int)
Pet = TypeAliasType("Pet", Cat | Dog)
Tree = TypeAliasType("Tree", "list[Tree]")
Animal = Annotated[Cat | Dog, Field(discriminator="kind"), AfterValidator(no_lives_left)]

OBJECTS: list[tuple[Any, list[str], Any, Any]] = [
    (Verdict, ["Verdict"], {"passed": True}, Verdict(passed=True)),
    (Annotated[Verdict, "checked"], ["Verdict"], {"passed": True}, Verdict(passed=True)),
    (Row, ["Row"], {"at": "2026-01-02"}, {"at": datetime.date(2026, 1, 2)}),
    (Box[int], ["Box_int"], {"item": 3}, Box[int](item=3)),
    (Box[list[Verdict]], ["Box_list_Verdict"], {"item": [{"passed": True}]}, Box[list[Verdict]](item=[Verdict(passed=True)])),
    (Pair[int], ["Pair_int"], {"left": 1, "right": 2}, Pair(1, 2)),
    (Node, ["Node"], {"number": 1, "children": [{"number": 2}]}, Node(number=1, children=[Node(number=2)])),
    (Boxed, ["Boxed"], {"passed": True}, Boxed(Verdict(passed=True))),
    (Cat | Dog, ["Cat", "Dog"], {"kind": "cat"}, Cat(kind="cat")),
    (Cat | (Dog | Verdict), ["Cat", "Dog", "Verdict"], {"kind": "cat"}, Cat(kind="cat")),
    (Animal, ["Cat", "Dog"], {"kind": "cat"}, Cat(kind="cat")),
    (Pet, ["Cat", "Dog"], {"kind": "cat"}, Cat(kind="cat")),
    ({"title": "A b", "type": "object", "properties": {"a": {"type": "integer"}}}, ["A_b"], {"a": 1}, {"a": 1}),
    ({"$ref": "#/$defs/P", "$defs": {"P": {"properties": {"a": {}}}}, "title": "P"}, ["P"], {"a": 1}, {"a": 1}),
]
WRAPPED: list[tuple[Any, list[str], Any, Any]] = [
    (list[Verdict], ["list_Verdict"], [{"passed": True}], [Verdict(passed=True)]),
    (list[Cat | Dog], ["list_Cat_or_Dog"], [{"kind": "dog"}], [Dog(kind="dog")]),
    (dict[str, int], ["dict_str_int"], {"value": 3}, {"value": 3}),
    (int, ["int"], 3, 3),
    (Annotated[int, Field(title="Score", ge=1)], ["Score"], 3, 3),
    (Annotated[int, AfterValidator(even)], ["int"], 4, 4),
    (UserId, ["UserId"], 3, 3),
    (Color, ["Color"], "red", Color.RED),
    (Scores, ["Scores"], [1, 2], Scores([1, 2])),
    (Point, ["Point"], [1, 2], Point(1, 2)),
    (Tree, ["Tree"], [[], [[]]], [[], [[]]]),
    (datetime.date, ["date"], "2026-01-02", datetime.date(2026, 1, 2)),
    ({"title": "Names", "type": "array", "items": {"type": "string"}}, ["Names"], ["a"], ["a"]),
    ({"title": "Open", "additionalProperties": {"type": "integer"}}, ["Open"], {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize(
    ("declared", "names", "data", "value"), OBJECTS, ids=[str(row[1]) + str(i) for i, row in enumerate(OBJECTS)]
)
def test_an_object_goes_on_the_wire_as_it_is(declared: Any, names: list[str], data: Any, value: Any) -> None:
    schemas = answer_schemas(declared)
    assert [schema.name for schema in schemas] == names
    assert schemas[0].validate(data) == value
    assert schemas[0].holds(value)
    assert schemas[0].load(schemas[0].dump(value)) == value


@pytest.mark.parametrize(
    ("declared", "names", "data", "value"), WRAPPED, ids=[row[1][0] + str(i) for i, row in enumerate(WRAPPED)]
)
def test_another_value_is_wrapped_and_unwrapped(declared: Any, names: list[str], data: Any, value: Any) -> None:
    (schema,) = answer_schemas(declared)
    assert schema.name == names[0]
    assert schema.json_schema["type"] == "object"
    assert list(schema.json_schema["properties"]) == schema.json_schema["required"] == ["value"]
    assert schema.validate({"value": data}) == value
    assert schema.holds(value)
    assert schema.load(schema.dump(value)) == value


def test_a_bare_value_counts_where_a_wrapped_one_was_asked_for() -> None:
    (schema,) = answer_schemas(dict[str, int])
    assert schema.validate({"value": {"a": 1}}) == {"a": 1}
    assert schema.validate({"value": 1}) == {"value": 1}
    with pytest.raises(ValueError, match="dict"):
        schema.validate({"value": "x"})


def test_a_literal_is_named_by_its_choices_in_every_process() -> None:
    (schema,) = answer_schemas(Literal["yes", "no"])
    assert schema.name == answer_schemas(Literal["yes", "no"])[0].name != answer_schemas(Literal["no"])[0].name
    assert schema.name == "choice_c5bef8e8"
    assert (schema.validate({"value": "yes"}), schema.validate("no")) == ("yes", "no")


def test_metadata_of_a_type_and_of_a_union_is_kept() -> None:
    (number,) = answer_schemas(Annotated[int, AfterValidator(even), Field(description="An even number.")])
    assert number.description == "An even number."
    with pytest.raises(ValueError, match="must be even"):
        number.validate({"value": 3})
    cat, _ = answer_schemas(Animal)
    with pytest.raises(ValueError, match="no lives left"):
        cat.validate({"kind": "cat", "lives": 0})


def test_none_is_an_answer_where_the_type_has_it() -> None:
    verdict, none = answer_schemas(Verdict | None)
    assert (verdict.name, none.name, none.validate({"value": None})) == ("Verdict", "none", None)


def test_a_model_declared_strict_takes_what_json_can_say() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        at: datetime.date
        color: Color

    (schema,) = answer_schemas(Strict)
    data = {"at": "2026-01-02", "color": "red"}
    assert schema.validate(data) == Strict(at=datetime.date(2026, 1, 2), color=Color.RED)
    with pytest.raises(ValueError, match="color"):
        schema.validate({**data, "color": "green"})


def test_an_alias_is_dumped_as_it_is_validated() -> None:
    class Aliased(BaseModel):
        from_: str = Field(alias="from")

    (schema,) = answer_schemas(Aliased)
    value = schema.validate({"from": "a"})
    assert schema.load(schema.dump(value)) == value


def test_alternatives_of_a_json_schema_are_a_union_unless_it_says_more() -> None:
    a, b = ({"title": title, "type": "object", "properties": {title: {"$ref": "#/$defs/N"}}} for title in "ab")
    definitions = {"N": {"type": "integer"}}
    for keyword in ("oneOf", "anyOf"):
        schemas = answer_schemas({"title": "Either", keyword: [a, b], "$defs": definitions})
        assert [schema.name for schema in schemas] == ["a", "b"]
        assert schemas[1].validate({"b": 1}) == {"b": 1}
    more = {"title": "One", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert [schema.name for schema in answer_schemas(more)] == ["One"]


@pytest.mark.parametrize(
    "declared",
    ["Verdict", 5, object(), Callable[[], int], len],
    ids=["a name", "a number", "an object", "a callable", "a function"],
)
def test_a_type_that_cannot_be_an_answer_is_refused(declared: Any) -> None:
    with pytest.raises(AgentSpecError, match="Unsupported schema type"):
        answer_schemas(declared)


def test_a_name_too_long_for_a_provider_is_cut_and_stays_unlike_its_neighbour() -> None:
    names = [answer_schemas({"title": f"{'long ' * 20}{end}", "type": "object"})[0].name for end in "ab"]
    assert len(set(names)) == 2
    assert {len(name) for name in names} == {64}
