"""The answer that is streamed: one field is short, the other grows."""

from pydantic import BaseModel


class Verdict(BaseModel):
    """A verdict."""

    passed: bool
    why: str
