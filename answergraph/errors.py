"""Every error that the library raises; the four that most programs name are also at the top level."""

from answergraph.runtime.errors import (
    AgentSpecError,
    AnswerGraphError,
    AnswerRejected,
    BundleError,
    MultipleStructuredOutputsError,
    NoAnswerError,
    ResponseFormatError,
    RuleEvaluationError,
    RuleNotMatched,
    RuleSyntaxError,
    StoredAnswerError,
    StructuredOutputError,
    StructuredOutputValidationError,
    WorkflowFileError,
    WorkflowSpecError,
)

__all__ = [
    "AgentSpecError",
    "AnswerGraphError",
    "AnswerRejected",
    "BundleError",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "ResponseFormatError",
    "RuleEvaluationError",
    "RuleNotMatched",
    "RuleSyntaxError",
    "StoredAnswerError",
    "StructuredOutputError",
    "StructuredOutputValidationError",
    "WorkflowFileError",
    "WorkflowSpecError",
]
