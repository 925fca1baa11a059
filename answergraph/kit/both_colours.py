"""Steps: work that is written once, and runs blocking or on an event loop."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar

from answergraph.runtime.steps import Effect, arun_step, run_step

ValueT_co = TypeVar("ValueT_co", default=Any, covariant=True)
"""What a step comes to."""

Work = Generator[Effect, object, ValueT_co]
"""What a function returns that waits for other steps with ``yield from``."""


@dataclass(frozen=True)
class Step(Generic[ValueT_co]):
    """Work that is written once: ``run()`` blocks, ``await arun()`` does not, and ``yield from`` waits for it in another step.

    Example:
        >>> from answergraph.kit import off_loop
        >>> def count() -> Work[int]:
        ...     first = yield from off_loop(len, "one")
        ...     second = yield from off_loop(len, "three")
        ...     return first + second
        >>> Step(count).run()
        8
    """

    work: Callable[[], Work[ValueT_co]]
    """Begins the work."""

    def __iter__(self) -> Work[ValueT_co]:
        return self.work()

    def run(self) -> ValueT_co:
        """Do the work, blocking, and return its value."""
        return run_step(self.work())

    async def arun(self) -> ValueT_co:
        """Do the work on the event loop, and return its value."""
        return await arun_step(self.work())
