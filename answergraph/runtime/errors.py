"""The error tree. The base class tells a reader what to do next.

::

    AnswerGraphError
    ├── AgentSpecError(ValueError, TypeError)      the developer's mistake, raised while building if seen there
    │   ├── ResponseFormatError                    a format made at run time cannot be used; raised before the model is called
    │   ├── RuleSyntaxError                        an invalid rule; has the position
    │   └── WorkflowSpecError                      invalid steps of a workflow; has the key
    │       └── WorkflowFileError                  the same in a file; has file and line
    ├── StructuredOutputError                      the model's mistake, may be sent back to the model
    │   ├── MultipleStructuredOutputsError         two or more different answers in one message
    │   └── StructuredOutputValidationError        an answer that does not fit its schema
    ├── BundleError(ValueError)                    a saved answer bundle cannot be read
    ├── AnswerRejected                             raised by your ``check_answer``; sent back to the model
    ├── RuleEvaluationError                        a ``when(...)`` that the state cannot decide
    ├── RuleNotMatched                             no rule holds; carries the judgment
    ├── NoAnswerError                              the run ended without an answer; carries the outcome
    └── StoredAnswerError(AttributeError)          an answer in a checkpoint no longer fits its schema

A strategy of LangChain's own raises LangChain's classes of the same names, so that existing ``except`` clauses keep working; see
``ErrorClasses``.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langchain_core.messages import AIMessage

_NO_REASON = "Your answer was not accepted. Check it again and give a better one."


class AnswerGraphError(RuntimeError):
    """Base class of all errors of this package; a ``RuntimeError``, because LangGraph servers show those messages to clients."""


class AgentSpecError(AnswerGraphError, ValueError, TypeError):
    """The agent, or a function passed to it, cannot be used; the message says what to change.

    LangChain raises ``ValueError`` for some of these mistakes and ``TypeError`` for others.
    """

    field: str = ""
    """The field of a request that it is about."""
    middleware: str | None = None
    """Name of the middleware that set the field, ``None`` if none did."""

    def made_by(self, middleware: str) -> None:
        self.middleware = middleware
        what = "format" if self.field == "response_format" else self.field
        self.args = (f"{self.args[0]} The {what} was set by the middleware {middleware!r}.",)


class ResponseFormatError(AgentSpecError):
    """A response format chosen at run time cannot be used; raised before the model is called."""

    field = "response_format"

    def __init__(self, message: str, response_format: Any) -> None:
        self.response_format = response_format
        super().__init__(message)


class BundleError(AnswerGraphError, ValueError):
    """A saved answer bundle cannot be read."""


class StructuredOutputError(AnswerGraphError):
    """The model's answer cannot be used; ``handle_errors`` decides whether it is sent back."""

    ai_message: AIMessage
    """The reply with the answer."""


class MultipleStructuredOutputsError(StructuredOutputError):
    """One message contains several different answers; ``tool_names`` are their schemas, in the message's order."""

    def __init__(self, tool_names: list[str], ai_message: AIMessage) -> None:
        self.tool_names = tool_names
        self.ai_message = ai_message
        super().__init__(
            f"Model incorrectly returned multiple structured responses ({', '.join(tool_names)}) when only one is expected."
        )


class StructuredOutputValidationError(StructuredOutputError):
    """An answer is not JSON or does not fit its schema ``tool_name``; ``source`` is the validation error."""

    def __init__(self, tool_name: str, source: Exception, ai_message: AIMessage) -> None:
        self.tool_name = tool_name
        self.source = source
        self.ai_message = ai_message
        super().__init__(f"Failed to parse structured output for tool '{tool_name}': {source}.")


class AnswerRejected(AnswerGraphError):  # noqa: N818  # a verdict, not a failure: the run goes on
    """A valid answer is not good enough; raise it in ``check_answer``.

    Example:
        >>> def known_customer(answer, state, runtime):
        ...     if answer.customer not in {"ada", "grace"}:
        ...         raise AnswerRejected(f"There is no customer {answer.customer!r}; look it up first.")
    """

    def __init__(
        self, feedback: str = "", *, fields: Sequence[str] | Mapping[str, str] = (), records: Mapping[str, Any] | None = None
    ) -> None:
        """Reject the answer.

        Args:
            feedback: Sent to the model unchanged; counted like a schema error. An empty one is replaced by a general sentence.
            fields: The paths of the wrong fields, ``["items[3].price"]``, or a sentence for each; for the outcome.
            records: Whole ``FieldRecord`` by path instead, also of fields that are right, as ``check_evidence`` returns them.

        Raises:
            AgentSpecError: If the feedback is not a string, the fields are a string, or a path or a sentence is none.
        """
        if not isinstance(feedback, str):
            raise AgentSpecError(f"AnswerRejected({feedback!r}): write the feedback for the model as a string.")
        if isinstance(fields, str):
            raise AgentSpecError(f"AnswerRejected(fields={fields!r}): write the paths as a list, [{fields!r}].")
        if not all(isinstance(text, str) for text in (fields.values() if isinstance(fields, Mapping) else fields)):
            raise AgentSpecError(f"AnswerRejected(fields={fields!r}): write each path, and the sentence for it, as a string.")
        self.feedback = feedback if feedback.strip() else _NO_REASON
        self.fields = fields if isinstance(fields, Mapping) else dict.fromkeys(fields, self.feedback)
        self.records = records or {}
        super().__init__(self.feedback)


class NoAnswerError(AnswerGraphError):
    """The run ended without an answer; ``outcome`` is its ``Outcome``."""

    def __init__(self, outcome: Mapping[str, Any]) -> None:
        self.outcome = outcome
        super().__init__(f"No answer ({outcome['status']}): {outcome['reason']}")


class StoredAnswerError(AnswerGraphError, AttributeError):
    """A stored answer no longer fits its ``schema``; raised when a field of the answer is accessed.

    ``problem`` names the fields, ``data`` is the answer as JSON. An ``AttributeError``, so that ``hasattr`` works on the answer.
    """

    def __init__(self, schema: str, problem: str, data: Any) -> None:
        self.schema = schema
        self.problem = problem
        self.data = data
        super().__init__(schema, problem, data)

    def __str__(self) -> str:
        return f"The answer {self.schema!r} in this checkpoint does not fit its schema any more. {self.problem}"


class RuleSyntaxError(AgentSpecError):
    """The text of a ``rule`` cannot be read; ``position`` counts its characters from 0."""

    def __init__(self, rule: str, position: int, problem: str) -> None:
        self.rule = rule
        self.position = position
        self.problem = problem
        super().__init__(f"Rule {rule!r}, position {position}: {problem}.")


class WorkflowSpecError(AgentSpecError):
    """The steps are not a valid workflow; ``key`` is the path of the ``problem``, such as ``steps[0].rules[1].next``."""

    def __init__(self, key: str, problem: str) -> None:
        self.key = key
        self.problem = problem
        super().__init__(f"{key}: {problem}.")


class WorkflowFileError(WorkflowSpecError):
    """A workflow ``file`` cannot be used; ``line`` counts from 1, ``key`` is empty for the whole file."""

    def __init__(self, file: str, line: int, key: str, problem: str) -> None:
        super().__init__(f"{file}, line {line}{', ' if key else ''}{key}", problem)
        self.file = file
        self.line = line
        self.key = key


class RuleEvaluationError(AnswerGraphError):
    """A ``when(...)`` cannot be decided on this state: in ``expression`` a name is missing, or a value has the wrong type."""

    def __init__(self, expression: str, problem: str) -> None:
        self.expression = expression
        self.problem = problem
        super().__init__(f"when({expression}) cannot be decided: {problem}.")


class RuleNotMatched(AnswerGraphError):  # noqa: N818  # the name of the situation, as callers know it
    """No rule holds; ``judgment`` is the ``Judgment``, with the result of each stage."""

    def __init__(self, judgment: Mapping[str, Any]) -> None:
        self.judgment = judgment
        super().__init__(f"No rule matched: {judgment['reason']}")


@dataclass(frozen=True)
class ErrorClasses:
    """The error classes of a strategy."""

    multiple: Callable[[list[str], AIMessage], Exception] = MultipleStructuredOutputsError
    validation: Callable[[str, Exception, AIMessage], Exception] = StructuredOutputValidationError

    @classmethod
    def beside(cls, strategy: object) -> Self:
        """Return the error classes of the module that defines a strategy; ours for those it lacks."""
        module = importlib.import_module(type(strategy).__module__)
        return cls(
            multiple=getattr(module, "MultipleStructuredOutputsError", MultipleStructuredOutputsError),
            validation=getattr(module, "StructuredOutputValidationError", StructuredOutputValidationError),
        )
