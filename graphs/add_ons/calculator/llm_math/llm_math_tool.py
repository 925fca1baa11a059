"""The calculator tool for word problems: the model writes one expression, and the tool evaluates it."""

import re
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel

from answergraph.graphs.add_ons.calculator.llm_math.math_expression import CalculationError, calculate
from answergraph.kit import Invoke, Step, Work

NAME = "Calculator"
DESCRIPTION = "Useful for when you need to answer questions about math."
STOP = "```output"
"""Ends the model's reply before the result."""
ANSWER = "Answer:"

PROMPT = """\
Turn a math problem into one expression that Python's numexpr library can evaluate. Its value answers the question.

Question: ${{the math problem}}
```text
${{one line: the expression that solves it}}
```
...numexpr.evaluate(text)...
```output
${{the value of the expression}}
```
Answer: ${{the answer}}

Begin.

Question: What is 37593 * 67?
```text
37593 * 67
```
...numexpr.evaluate("37593 * 67")...
```output
2518731
```
Answer: 2518731

Question: 37593^(1/5)
```text
37593**(1/5)
```
...numexpr.evaluate("37593**(1/5)")...
```output
8.222831614237718
```
Answer: 8.222831614237718

Question: {question}
"""
"""Asks for one expression. It names numexpr, which is not used, because models know this prompt and numexpr's function names."""

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_MAX_QUOTED_CHARACTERS = 200


class MathQuestion(BaseModel):
    """The question for the calculator."""

    question: str


def llm_math_tool(llm: Runnable[Any, Any]) -> BaseTool:
    r"""Return a calculator for questions in words.

    ``llm`` turns the question into one expression, and the tool evaluates it. It evaluates only arithmetic on numbers;
    anything else goes back to the calling model as an error, and the run continues.

    Args:
        llm: A chat model or a text model.

    Returns:
        The tool ``Calculator``; it answers ``Answer: …``.

    Example:
        >>> from answergraph.testing import ScriptedChatModel
        >>> calculator = llm_math_tool(ScriptedChatModel(replies=["```text\n100 * 0.2\n```\n"]))
        >>> calculator.invoke("What is 20% of 100?")
        'Answer: 20.0'
    """
    # Token streams of the agent do not show the expression.
    bound = llm.bind(stop=[STOP]).with_config(tags=[TAG_NOSTREAM])

    def ask(question: str) -> Work[str]:
        reply: object = yield Invoke(bound, PROMPT.format(question=question))
        return answer_in(reply.text if isinstance(reply, BaseMessage) else str(reply))

    def calculator(question: str) -> str:
        return Step(partial(ask, question)).run()

    async def acalculator(question: str) -> str:
        return await Step(partial(ask, question)).arun()

    return StructuredTool(
        name=NAME,
        description=DESCRIPTION,
        args_schema=MathQuestion,
        func=calculator,
        coroutine=acalculator,
        handle_tool_error=True,
    )


def answer_in(reply: str) -> str:
    """Return ``Answer: …`` with the value of a reply's expression, or with the answer it gave, else raise ``ToolException``."""
    # Text after the output fence is invented.
    text = reply.split(STOP, 1)[0].strip()
    # A stop word may remove the closing fence.
    fence = _FENCE.search(text if text.count("```") != 1 else f"{text}\n```")
    if fence is None:
        if ANSWER in text:
            return f"{ANSWER} {text.rsplit(ANSWER, 1)[1].strip()}"
        raise ToolException(f"The model wrote no expression: {text[:_MAX_QUOTED_CHARACTERS]!r}. Please ask again in other words.")
    expression = fence[1].strip()
    try:
        result = calculate(expression)
    except CalculationError as error:
        shown = expression[:_MAX_QUOTED_CHARACTERS]
        raise ToolException(
            f"{shown!r} cannot be evaluated: {error}. Please try again with a valid numerical expression."
        ) from error
    note = f" ({result.note})" if result.note else ""
    return f"{ANSWER} {result.value}{note}"
