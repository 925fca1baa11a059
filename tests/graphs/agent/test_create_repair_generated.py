"""For any answer and any fields of it that are wrong, the repaired answer equals the right one everywhere."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AnswerRejected, ToolStrategy, create_agent
from answergraph.kit import FieldPath
from answergraph.testing import ScriptedChatModel

TEXTS = st.text(max_size=6)


class Line(BaseModel):
    article: str
    amount: int
    notes: list[str]


class Order(BaseModel):
    customer: str
    paid: bool | None
    lines: list[Line]
    prices: dict[str, float]


lines = st.builds(Line, article=TEXTS, amount=st.integers(0, 9), notes=st.lists(TEXTS, max_size=2))
prices = st.dictionaries(TEXTS, st.integers(0, 99).map(float), max_size=3)
orders = st.builds(Order, customer=TEXTS, paid=st.none() | st.booleans(), lines=st.lists(lines, max_size=3), prices=prices)


def leaves(data: Any, path: FieldPath) -> list[FieldPath]:
    if isinstance(data, dict):
        return [leaf for key, value in data.items() for leaf in leaves(value, path / key)]
    if isinstance(data, list):
        return [leaf for number, value in enumerate(data) for leaf in leaves(value, path / number)]
    return [path]


def damaged(data: Any, wrong: list[FieldPath], path: FieldPath) -> Any:
    """Return data with another valid value in some fields."""
    if isinstance(data, dict):
        return {key: damaged(value, wrong, path / key) for key, value in data.items()}
    if isinstance(data, list):
        return [damaged(value, wrong, path / number) for number, value in enumerate(data)]
    if path not in wrong:
        return data
    return f"{data}?" if isinstance(data, str) else not data if data is None or isinstance(data, bool) else data + 1


def python_path(path: FieldPath) -> str:
    """Return a path as the answer's type spells it: the keys of ``prices`` are no fields."""
    first, *rest = path.parts
    return f"prices[{rest[0]!r}]" if first == "prices" else str(path)


@settings(max_examples=25)
@given(data=st.data())
def test_the_repaired_answer_equals_the_right_one_everywhere(data: st.DataObject) -> None:
    order = data.draw(orders)
    right = order.model_dump()
    wrong = data.draw(st.lists(st.sampled_from(leaves(right, FieldPath())), min_size=1, max_size=5, unique=True))
    broken = damaged(right, wrong, FieldPath())

    def check(answer: Order, state: Any, runtime: Any) -> None:
        places = [python_path(path) for path in wrong]
        problems = {place: "It is wrong." for place in places if FieldPath(place).get(answer) != FieldPath(place).get(order)}
        if problems:
            raise AnswerRejected("Look again.", fields=problems)

    changes = {"changes": [{"path": python_path(path), "value": FieldPath(python_path(path)).get(right)} for path in wrong]}
    calls = [{"name": "Order", "args": args, "id": str(number)} for number, args in enumerate((broken, changes))]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]) for call in calls])
    agent = create_agent(model, response_format=ToolStrategy(Order), check_answer=check, repair="patch")
    result = agent.invoke({"messages": ["Read the order."]})
    assert result["structured_response"] == order
    first, second = result["outcome"]["attempts"]
    assert (set(first["fields"]), second["patch"]) == ({python_path(path) for path in wrong}, True)
