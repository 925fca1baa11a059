import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Secret,
    SecretBytes,
    SecretStr,
    computed_field,
    create_model,
    field_serializer,
    field_validator,
)
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict

from answergraph import AgentSpecError, create_agent
from answergraph.many import map_answers
from answergraph.testing import ScriptedChatModel
from tests.answergraph.many.invoices import collected, rows
from tests.suite.colors import Run


class Login(BaseModel):
    password: SecretStr


class Logins(BaseModel):
    count: int
    admin: Login | None = None


class Pin(BaseModel):
    digits: Secret[int]


class Noted(BaseModel):
    name: str
    note: str = Field("", exclude=True, alias="theNote")


class Excluded(TypedDict):
    name: Annotated[str, Field(exclude=True)]


class Dressed(BaseModel):
    name: str

    @field_serializer("name")
    def dressed(self, name: str) -> str:
        return f"<{name}>"


class Trimmed(BaseModel):
    """What a validator makes of an answer is read again as it is; a name in JSON may be another one."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    name: str = Field(alias="theName")
    day: datetime.date = datetime.date(2026, 1, 31)
    source: SkipJsonSchema[str] = Field("", exclude=True)

    @field_validator("name")
    @classmethod
    def trimmed(cls, name: str) -> str:
        return name.strip().upper()

    @computed_field  # type: ignore[prop-decorator]  # Pydantic's way
    @property
    def length(self) -> int:
        return len(self.name)


class Picky(BaseModel):
    code: str

    @field_validator("code")
    @classmethod
    def known(cls, code: str) -> str:
        if code != "A-17":
            raise ValueError("no such code")
        return code


class Tree(BaseModel):
    kind: Literal["tree"]
    properties: "list[Tree]"
    others: "dict[str, Tree] | None" = None


Deep: type[BaseModel] = Picky
for level in range(30):  # each has the one before twice: a sample of all would never be done
    Deep = create_model(f"Deep{level}", left=(Deep, ...), right=(Deep, ...))


def mapped(response_format: Any, reply: str = "{}") -> Any:
    agent = create_agent(ScriptedChatModel(replies=[reply]), response_format=response_format)
    return map_answers(agent, rows(1), key="id", input="body")


@pytest.mark.parametrize(
    ("response_format", "named"),
    [
        (Login, "leaves out 'password'"),
        (list[Login], "leaves out 'Login.password'"),
        (Logins | Trimmed, "leaves out 'Login.password'"),
        (SecretStr, "leaves out 'value'"),
        (dict[str, SecretBytes], "leaves out 'value'"),
        (Noted, "leaves out 'note'"),
        (Excluded, "leaves out 'name'"),
        (Pin, "does not restore this one: Pin"),
        (Dressed, "does not restore this one: Dressed"),
    ],
    ids=str,
)
def test_a_type_whose_json_does_not_restore_it_is_refused_before_a_row_is_paid_for(response_format: Any, named: str) -> None:
    with pytest.raises(AgentSpecError, match=f"{named}.* plain str, bytes or int"):
        mapped(response_format)


def test_a_row_is_not_asked_again_by_an_agent_whose_answers_are_not_stored() -> None:
    class Noted(BaseModel):
        name: str
        note: str

    kept = mapped(Noted)
    hiding = create_model("Noted", name=(str, ...), note=(str, Field(exclude=True)))
    with pytest.raises(AgentSpecError, match="leaves out 'note'"):
        kept.again(create_agent(ScriptedChatModel(replies=[]), response_format=hiding), status={"invalid"})


@pytest.mark.parametrize(
    ("response_format", "reply"),
    [
        (Trimmed, '{"theName": " a "}'),
        (Picky, '{"code": "A-17"}'),
        (Tree, '{"kind": "tree", "properties": [{"kind": "tree", "properties": []}]}'),
        (
            {"title": "Key", "type": "object", "properties": {"a": {"type": "string", "writeOnly": True}}, "required": ["a"]},
            '{"a": "b"}',
        ),
    ],
    ids=["normalised", "strict", "recursive", "schema"],
)
def test_what_a_validator_normalises_or_only_it_can_read_is_mapped(run: Run, response_format: Any, reply: str) -> None:
    (row,) = collected(run, mapped(response_format, reply)).values()
    assert row.status == "answered"


def test_a_type_of_which_no_sample_can_be_made_is_mapped() -> None:
    assert mapped(Deep)
