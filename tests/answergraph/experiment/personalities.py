"""Models with a known behaviour for the loopback server, so that measurements of them can be checked.

Each reply follows from the request alone, as a real model's does.
"""

import ast
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from answergraph.experiment.seed_experiment import TASKS
from answergraph.runtime.python_expression import parse_expression
from tests.openai_server import Reply, ToolCall, Usage, calls, says
from tests.openai_server.reply import JSONObject

FIELD = "validation_result"
VALIDATE = "validate_calculation"
TOLD = "first call validate_calculation"
USAGE = Usage(input_tokens=10, output_tokens=5)
WITHOUT_A_FORMAT = (0, 0, 1, 0, 1, 0, 0, 1, 0, 1)
"""The seed's table 9.8: how often each task was validated where no format was asked for."""

_ANSWERS = ("SchemaWithValidation", "CalculationResult")
_TOOLS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
_RESULTS: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
}


@dataclass(frozen=True)
class Step:
    """One operation of a calculation."""

    tool: str
    a: float
    b: float

    @property
    def result(self) -> float:
        return _RESULTS[self.tool](self.a, self.b)


def steps_of(question: str) -> list[Step]:
    """Return the operations that a question needs, in a possible order."""
    text = question.split(" を", maxsplit=1)[0].replace("×", "*").replace("÷", "/")
    return list(_walk(parse_expression(text)))


def _walk(node: ast.expr) -> Iterator[Step]:
    if isinstance(node, ast.BinOp):
        left, right = list(_walk(node.left)), list(_walk(node.right))
        yield from left
        yield from right
        yield Step(_TOOLS[type(node.op)], _value(node.left, left), _value(node.right, right))


def _value(node: ast.expr, steps: list[Step]) -> float:
    return steps[-1].result if steps else float(ast.literal_eval(node))


@dataclass(frozen=True)
class Sight:
    """The parts of a request that a model sees."""

    body: JSONObject

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @cached_property
    def question(self) -> str:
        return next(str(message["content"]) for message in self.messages if message["role"] == "user")

    @cached_property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @cached_property
    def asked(self) -> str:
        """All texts about the form of the answer."""
        prompts = [message["content"] for message in self.messages if message["role"] in {"system", "user"}]
        return json.dumps([prompts, self.body.get("tools"), self.body.get("response_format")])

    @cached_property
    def called(self) -> list[str]:
        """The ordinary tools called so far."""
        made = [call["function"]["name"] for message in self.messages for call in message.get("tool_calls") or ()]
        return [name for name in made if name not in _ANSWERS]

    @property
    def is_told_to_validate(self) -> bool:
        return any(TOLD in str(message["content"]) for message in self.messages if message["role"] == "tool")

    @property
    def names_the_field(self) -> bool:
        return FIELD in self.asked


@dataclass(frozen=True)
class Personality:
    """The way a model calculates."""

    validates: Callable[[Sight], bool]
    """Whether it validates before it answers."""
    calculates: bool = True
    """Whether it uses the tools; otherwise it answers at once with a result that is wrong by one."""
    evidence: Literal["left out", "invented"] = "left out"
    """What it claims about a validation that it has not made."""
    is_careless: bool = False
    """Whether it validates another number than its answer."""

    def __call__(self, body: JSONObject) -> Reply:
        """Return its reply to a request."""
        sight = Sight(body)
        steps, done = steps_of(sight.question), [name for name in sight.called if name != VALIDATE]
        if self.calculates and len(done) < len(steps):
            step = steps[len(done)]
            return calls(ToolCall(step.tool, {"a": step.a, "b": step.b}), usage=USAGE)
        value = steps[-1].result + (0 if self.calculates else 1)
        if VALIDATE in sight.tools and VALIDATE not in sight.called and self.validates(sight):
            actual = value + self.is_careless
            return calls(ToolCall(VALIDATE, {"expected": actual, "actual": actual, "operation": "all"}), usage=USAGE)
        return self._answer(sight, value)

    def _answer(self, sight: Sight, value: float) -> Reply:
        answer: dict[str, Any] = {"final_answer": value, "reasoning": "step by step"}
        if sight.names_the_field:
            answer |= self._evidence(sight)
        name = next((tool for tool in sight.tools if tool in _ANSWERS), None)
        if name is not None:
            return calls(ToolCall(name, answer), usage=USAGE)
        asks_for_json = "final_answer" in sight.asked
        return says(json.dumps(answer) if asks_for_json else f"It is {value}.", usage=USAGE)

    def _evidence(self, sight: Sight) -> dict[str, Any]:
        if VALIDATE in sight.called:
            return {FIELD: {"operation": "all", "is_correct": True}}
        invented: dict[str, Any] = {"operation": "all", "is_correct": True} if self.evidence == "invented" else {}
        return {FIELD: invented}


def _as_the_seeds(sight: Sight) -> bool:
    """Validate if the field is named, otherwise the tasks that the seed's model validated anyway."""
    place = [task.question for task in TASKS].index(sight.question)
    return sight.names_the_field or bool(WITHOUT_A_FORMAT[place])


DILIGENT = Personality(validates=lambda sight: True)
"""Always calculates with the tools, and always validates."""
LAZY = Personality(validates=lambda sight: sight.is_told_to_validate)
"""Calculates, but validates only when told to; leaves the field empty."""
HASTY = Personality(validates=lambda sight: False, calculates=False)
"""Answers at once, wrongly, and cannot be told to validate."""
FORGETFUL = Personality(validates=lambda sight: sight.is_told_to_validate, evidence="invented")
"""Calculates, forgets the validation, and claims to have made it; validates when told to."""
CARELESS = Personality(validates=lambda sight: True, is_careless=True)
"""Calculates and validates, but not the number that it answers."""
OF_THE_SEED = Personality(validates=_as_the_seeds)
"""What the seed reports of its model."""
