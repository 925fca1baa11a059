"""Every call of a model that the library makes belongs to a request of an agent: users count and pay for each."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManager, CallbackManager

ROOT = Path(__file__).parents[2]
LIBRARY = tuple(f"{ROOT / folder}/" for folder in ("answergraph", "graphs", "middleware", "nodes"))
DOORS = ("/runtime/steps.py", "/react_text/text_model_call.py", "/middleware/stack.py")
"""The files that call models: for the steps of a node or a tool, for the model that wraps another, and in a user's hooks."""


def _stranger() -> str | None:
    """Return the file of the library that makes the present call, ``None`` if it is a door, or the call is the test's own."""
    frame: Any = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(LIBRARY):
        frame = frame.f_back
    name = None if frame is None else frame.f_code.co_filename
    return None if name is None or name.endswith(DOORS) else name


@pytest.fixture(autouse=True)
def no_call_that_nobody_caused(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test in which the library calls a model otherwise than for a request, for instance to see what it would send."""
    seen: list[str] = []

    def watched(start: Callable[..., Any]) -> Callable[..., Any]:
        def begin(*args: Any, **kwargs: Any) -> Any:
            if (maker := _stranger()) is not None:
                seen.append(maker)
            return start(*args, **kwargs)

        return begin

    for manager in (CallbackManager, AsyncCallbackManager):
        for name in ("on_chat_model_start", "on_llm_start"):
            monkeypatch.setattr(manager, name, watched(getattr(manager, name)))
    yield
    assert seen == []
