"""A person's review of the doubtful fields of an answer: what is asked, and what is decided. Plain JSON."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from answergraph.state.field_record import FieldRecord

ReviewChoice = Literal["approve", "edit", "reject", "leave_out"]
"""What a person may do with a field. ``leave_out`` is an ``edit`` to the ``default`` in the field's schema."""


class DerivedSum(TypedDict):
    """What a formula of the answer comes to with one reading of a field."""

    value: Any
    """The reading, as JSON."""
    field: str
    """The field that is computed."""
    formula: str
    """The formula with its numbers, ``"sum(12.50, 7.50) + 5.00"``."""
    computed: str
    stands: str
    """What stands in the computed field."""
    is_equal: bool


class ReviewRequest(TypedDict):
    """The value of the interrupt of ``on_doubt="review"``."""

    type: Literal["review_answer"]
    answer: Any
    """As JSON."""
    fields: dict[str, FieldRecord]
    """The doubtful fields only, by path."""
    schema: dict[str, Any]
    """JSON Schema of each doubtful field, by path; its ``default`` is what stands there if the field is left out."""
    choices: dict[str, dict[ReviewChoice, str | None]]
    """Per field and choice, why it cannot be made; ``None``: it can."""
    sums: dict[str, list[DerivedSum]]
    """Per field, what follows from each reading of it; only fields of which something is computed."""
    version: str
    """Of what is decided on; sent back, it keeps a late decision from being taken for another question."""
    problem: NotRequired[str]
    """Why a decision as a whole was not taken."""


class Approve(TypedDict):
    """The field is right."""

    type: Literal["approve"]


class Edit(TypedDict):
    """This is right instead."""

    type: Literal["edit"]
    value: Any
    """As JSON."""


class Reject(TypedDict):
    """The field is wrong: the model is asked again; where it cannot be, there is no answer."""

    type: Literal["reject"]
    message: NotRequired[str]


class ReviewDecision(TypedDict):
    """The resume value, ``Command(resume={"decisions": {"total": {"type": "edit", "value": 12}}})``; LangChain's words, by field.

    A field that is left out is approved.
    """

    decisions: dict[str, Approve | Edit | Reject]
    version: NotRequired[str]
    """The version of the request; without it the decision is for whatever is asked."""
