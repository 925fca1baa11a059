"""The answer that says why there is none."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Abstention(BaseModel):
    """Say that no answer can be given on the evidence there is, and what is missing for one."""

    missing: list[str] = Field(min_length=1, description="What would be needed for an answer and was not found.")
    tried: list[str] = Field(default_factory=list, description="What was tried to find it.")
