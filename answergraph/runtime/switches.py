"""Environment variables, read when an agent is built, that restore LangGraph's behaviour."""

import os


def is_switched_on(variable: str) -> bool:
    """Return whether a switch is on; ``0`` turns it off.

    Raises:
        ValueError: If the variable is neither ``0`` nor ``1``.
    """
    value = os.environ.get(variable, "1")
    if value not in ("0", "1"):
        raise ValueError(f"The environment variable {variable} must be 0 or 1, not {value!r}.")
    return value == "1"
