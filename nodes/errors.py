"""The error tree. The base class tells a reader what to do next.

::

    AnswerGraphError
    ├── AgentSpecError(ValueError)                 the developer's mistake, raised while building
    ├── StructuredOutputError                      the model's mistake, may be sent back to the model
    │   ├── MultipleStructuredOutputsError         two or more different answers in one message
    │   └── StructuredOutputValidationError        an answer that does not fit its schema
    ├── BundleError(ValueError)                    a saved answer bundle cannot be read
    ├── AnswerRejected                             raised by your ``check_answer``; sent back to the model
    └── NoAnswerError                              the run ended without an answer; carries the outcome

Where an answer was asked for with a strategy of LangChain's own, LangChain's classes of the same names are raised, so that
``except`` clauses of existing programs go on working; see ``ErrorClasses``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


class AnswerGraphError(Exception):
    """Base class of every error this package raises on its own account."""


class AgentSpecError(AnswerGraphError, ValueError):
    """The agent cannot be built as asked; the message says what to change."""


class BundleError(AnswerGraphError, ValueError):
    """What was to be verified is no answer bundle."""


class StructuredOutputError(AnswerGraphError):
    """The model's answer cannot be used; ``handle_errors`` decides whether it is sent back."""

    ai_message: AIMessage
    """The reply that held the answer."""


class MultipleStructuredOutputsError(StructuredOutputError):
    """Several different answers came in one message where one is expected."""

    def __init__(self, tool_names: list[str], ai_message: AIMessage) -> None:
        """Say which answers came.

        Args:
            tool_names: The schemas answered, in the message's order.
            ai_message: The message that held them.
        """
        self.tool_names = tool_names
        self.ai_message = ai_message
        super().__init__(
            f"Model incorrectly returned multiple structured responses ({', '.join(tool_names)}) when only one is expected."
        )


class StructuredOutputValidationError(StructuredOutputError):
    """An answer does not fit its schema, or was no JSON."""

    def __init__(self, tool_name: str, source: Exception, ai_message: AIMessage) -> None:
        """Say what does not fit.

        Args:
            tool_name: The schema that was answered.
            source: What validating it raised.
            ai_message: The message that held the answer.
        """
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

    def __init__(self, feedback: str) -> None:
        """Say what to do better.

        Args:
            feedback: Sent to the model as it is; counted like a schema error.
        """
        self.feedback = feedback
        super().__init__(feedback)


class NoAnswerError(AnswerGraphError):
    """The run ended without an answer."""

    def __init__(self, outcome: Mapping[str, Any]) -> None:
        """Carry the outcome.

        Args:
            outcome: The run's ``Outcome``.
        """
        self.outcome = outcome
        super().__init__(f"No answer ({outcome['status']}): {outcome['reason']}")


@dataclass(frozen=True)
class ErrorClasses:
    """The two error classes a strategy raises: ours, or those beside the strategy's own class."""

    multiple: Callable[[list[str], AIMessage], Exception] = MultipleStructuredOutputsError
    validation: Callable[[str, Exception, AIMessage], Exception] = StructuredOutputValidationError

    @classmethod
    def beside(cls, strategy: object) -> ErrorClasses:
        """Find the classes in the public module that defines a strategy, as LangChain's does.

        Args:
            strategy: A strategy object of another package.

        Returns:
            That module's classes, ours where it has none.
        """
        module = importlib.import_module(type(strategy).__module__)
        return cls(
            multiple=getattr(module, "MultipleStructuredOutputsError", MultipleStructuredOutputsError),
            validation=getattr(module, "StructuredOutputValidationError", StructuredOutputValidationError),
        )
