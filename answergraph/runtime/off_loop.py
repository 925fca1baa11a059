"""Work that would hold up an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_CHARACTERS_ON_LOOP = 4_000
"""What is longer is read in a thread: hostile text takes up to 20 µs a character, a thread 100 µs."""


@dataclass(frozen=True)
class InThread:
    """An effect that calls a function: where the step is awaited, in a thread and a copy of this context."""

    function: Callable[[], Any]

    def perform(self) -> Any:
        return self.function()

    async def aperform(self) -> Any:
        return await asyncio.to_thread(self.function)
