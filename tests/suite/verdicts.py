"""The answer types that most tests ask for; their docstrings and fields are what a model is shown."""

from typing import Annotated

from pydantic import BaseModel

from answergraph import Quote


class Verdict(BaseModel):
    """A verdict."""

    passed: bool


class CaseVerdict(BaseModel):
    """A verdict about a named case."""

    passed: bool
    case: str


class Score(BaseModel):
    """A score."""

    score: int


class Answer(BaseModel):
    """An answer."""

    text: str


class Missing(BaseModel):
    """What is missing."""

    facts: list[str]


class NotYet(BaseModel):
    """What is missing."""

    missing: list[str]


class Finding(BaseModel):
    """A finding."""

    quote: Annotated[str, Quote()]
