"""The answer types that most tests ask for; their docstrings and fields are what a model is shown."""

from pydantic import BaseModel


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
