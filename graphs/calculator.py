"""The calculator: arithmetic by tools, one operation per call, and a typed answer that carries its own check."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from answergraph.graphs.agent import create_agent

TOLERANCE = 1e-6
"""How far the expected and the actual result may lie apart."""

SYSTEM_PROMPT = """\
You are an assistant that carries out calculations.

Rules:
1. Always calculate with the tools add, subtract, multiply and divide.
2. No mental arithmetic: every result comes from a tool.
3. Call the tools step by step."""


class Calculation(BaseModel):
    """The result of a calculation."""

    final_answer: float = Field(description="The final result of the calculation.")
    validation_result: dict[str, Any] | None = Field(default=None, description="What validate_calculation returned.")
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


divide.handle_tool_error = True  # the model is told; the run goes on


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


def create_calculator(
    model: Any = "offline", *, response_format: Any = Calculation, **options: Any
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Create the calculator: an agent that works an expression out by tools alone.

    Args:
        model: A chat model or its name; the default needs no key, and is no language model.
        response_format: The type of the answer; ``validate_calculation`` is called where it has a ``validation_result``.
        **options: Further options of ``create_agent``.

    Returns:
        The compiled graph.

    Raises:
        AgentSpecError: If the agent cannot be built as asked.

    Example:
        >>> result = create_calculator().invoke({"messages": ["(17 × 23) + (89 ÷ 4) - 156"]})
        >>> result["structured_response"].final_answer
        257.25
    """
    prompted = {"system_prompt": SYSTEM_PROMPT, "name": "calculator", **options}
    agent: CompiledStateGraph[Any, Any, Any, Any] = create_agent(
        model, CALCULATOR_TOOLS, response_format=response_format, **prompted
    )
    return agent
