"""The calculator: arithmetic by tools, one operation per call, and a validated typed answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast, overload

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import BaseModel, Field
from typing_extensions import TypeForm, TypeVar

from answergraph import AgentGraph, Grounded, create_agent
from answergraph.evidence import FromTools, ToolRun
from answergraph.kit import explains_arguments
from answergraph.middleware import GroundedAnswer, RequireTools

AnswerT = TypeVar("AnswerT")
Model = str | BaseChatModel

TOLERANCE = 1e-6
"""Maximum difference of expected and actual result."""

SYSTEM_PROMPT = """\
You are an assistant that carries out calculations.

Rules:
1. Always calculate with the tools add, subtract, multiply and divide.
2. No mental arithmetic: every result comes from a tool.
3. Call the tools step by step."""


class Calculation(BaseModel):
    """The result of a calculation."""

    # The validation tool returns the answer again, and that counts as support.
    final_answer: Annotated[float, FromTools(echoes=True)] = Field(description="The final result of the calculation.")
    validation_result: dict[str, Annotated[str | bool | float, Grounded(echoes=True)]] | None = Field(
        default=None, description="What validate_calculation returned."
    )
    reasoning: str = Field(description="How the result was reached, step by step.")


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@tool
def subtract(a: float, b: float) -> float:
    """Subtract the second number from the first (a - b)."""
    return a - b


@tool
def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


@tool
def divide(a: float, b: float) -> float:
    """Divide the first number by the second (a / b)."""
    if b == 0:
        raise ToolException(f"Division by zero: {a} / {b} has no value.")
    return a / b


divide.handle_tool_error = True  # the model gets the error; the run continues


@tool
def validate_calculation(expected: float, actual: float, operation: str) -> dict[str, Any]:
    """Check the result of a calculation against the expected one."""
    return {
        "operation": operation,
        "is_correct": abs(expected - actual) < TOLERANCE,
        "expected": expected,
        "actual": actual,
    }


CALCULATOR_TOOLS: tuple[BaseTool, ...] = (add, subtract, multiply, divide, validate_calculation)
"""The calculator's tools, in the order the model sees them."""


def validates_the_answer(run: ToolRun, answer: Any) -> bool:
    """Call validate_calculation with your final_answer as the actual result, and see it confirmed."""
    if run.name != validate_calculation.name or not isinstance(run.value, dict) or run.value.get("is_correct") is not True:
        return False
    return answer is None or run.value.get("actual") == answer.final_answer


@overload
def create_calculator(
    model: Model = "offline",
    *,
    response_format: TypeForm[AnswerT],
    on_failure: Literal["return"] = "return",
    **options: Any,
) -> AgentGraph[AnswerT | None]: ...
@overload
def create_calculator(
    model: Model = "offline", *, response_format: TypeForm[AnswerT], on_failure: Literal["raise"], **options: Any
) -> AgentGraph[AnswerT]: ...
@overload
def create_calculator(model: Model = "offline", *, response_format: object, **options: Any) -> AgentGraph: ...
@overload
def create_calculator(
    model: Model = "offline", *, on_failure: Literal["return"] = "return", **options: Any
) -> AgentGraph[Calculation | None]: ...
@overload
def create_calculator(model: Model = "offline", *, on_failure: Literal["raise"], **options: Any) -> AgentGraph[Calculation]: ...
@explains_arguments(options_of=create_agent, given=["tools"])
def create_calculator(
    model: Model = "offline", *, response_format: object = Calculation, middleware: Sequence[Any] = (), **options: Any
) -> AgentGraph:
    """Create the calculator: an agent that evaluates an expression using only its tools.

    Args:
        model: A chat model or its name; the default is a set of rules that needs no key.
        response_format: The type of the answer. A ``Calculation`` counts only after ``validate_calculation`` has confirmed its
            ``final_answer`` in this run; with another type, the model is only asked to call it.
        middleware: Further middleware, inside the checks of a ``Calculation``.
        **options: Further options of ``create_agent``, the same arguments.

    Returns:
        The compiled graph.

    Raises:
        AgentSpecError: If the agent cannot be built as asked.

    Example:
        >>> result = create_calculator().invoke({"messages": ["(17 × 23) + (89 ÷ 4) - 156"]})
        >>> result["structured_response"].final_answer
        257.25
    """
    guards = (RequireTools(validates_the_answer), GroundedAnswer()) if response_format is Calculation else ()
    prompted = {"system_prompt": SYSTEM_PROMPT, "name": "calculator", **options}
    guarded, answers = [*guards, *middleware], cast("Any", response_format)  # the overloads say what it may be
    return create_agent(model, CALCULATOR_TOOLS, response_format=answers, middleware=guarded, **prompted)
