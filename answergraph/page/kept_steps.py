"""The steps of threads that this process has read, so that a thread that is read again costs only what is new."""

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias, cast

Step: TypeAlias = dict[str, object]
Ask: TypeAlias = Callable[[int, str | None], Awaitable[list[Step]]]
"""Asks the server for so many steps before a checkpoint, newest first; raises where the caller may not read them."""

MOST_CHARACTERS = 50_000_000


@dataclass
class _Thread:
    """What is known of one thread, or of a subgraph in it."""

    texts: dict[str, str] = field(default_factory=dict)
    """The steps that change no more, as JSON: those of checkpoints that another one follows."""
    older: dict[str, str | None] = field(default_factory=dict)
    """The next checkpoint in the order of the history; ``None`` after its last. Newer ones come before all."""
    followed: set[str] = field(default_factory=set)
    size: int = 0
    """In characters."""

    def keep(self, steps: Sequence[Step], before: str | None, *, followed: set[str], is_end: bool) -> None:
        """Keep what changes no more; ``followed`` are the checkpoints known as such when the steps were asked for."""
        ids = [str(step["checkpoint_id"]) for step in steps]
        parents = {str(cast("Step", parent)["checkpoint_id"]) for step in steps if (parent := step["parent_checkpoint"])}
        self.followed |= parents
        chain = [before, *ids, *([None] if is_end else [])]
        self.older.update((newer, older) for newer, older in pairwise(chain) if newer)
        final = followed | parents
        new = {name: as_json(step) for name, step in zip(ids, steps, strict=True) if name in final and name not in self.texts}
        self.texts |= new
        self.size += sum(map(len, new.values())) + sum(map(len, ids))

    def contradicts(self, steps: Sequence[Step], before: str | None) -> bool:
        """Return whether the server has other steps than it had: some were deleted."""
        is_known = before is not None and before in self.older
        return is_known and self.older[before or ""] != (steps[0]["checkpoint_id"] if steps else None)

    def known_after(self, checkpoint: str | None, most: int) -> list[str]:
        """Return the checkpoints after one, as far as they are kept."""
        known: list[str] = []
        while len(known) < most and (checkpoint := self.older.get(checkpoint or "")) in self.texts and checkpoint:
            known.append(checkpoint)
        return known


class KeptSteps:
    """Steps of threads, those that were read last; no more than so many characters of them."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._threads: OrderedDict[tuple[str, str], _Thread] = OrderedDict()

    async def read(self, thread: tuple[str, str], most: int, before: str | None, ask: Ask) -> list[str]:
        """Return steps as JSON.

        The server is always asked for the first, so that it says whether the caller may read them, and for the last, so that
        steps that it has deleted are not shown.
        """
        known = self._threads.get(thread, _Thread())
        first, texts = before, list[str]()
        count = 1 if thread in self._threads else most
        while len(texts) < most:
            wanted, followed = min(count, most - len(texts)), set(known.followed)
            steps = await ask(wanted, before)
            if known.contradicts(steps, before):
                self._threads.pop(thread, None)  # another request may have
                return await self.read(thread, most, first, ask)
            known.keep(steps, before, followed=followed, is_end=len(steps) < wanted)
            self._threads[thread] = known
            texts += map(as_json, steps)
            if len(steps) < wanted:
                break
            before = str(steps[-1]["checkpoint_id"])
            after = known.known_after(before, most - len(texts))[:-1]
            texts += [known.texts[each] for each in after]
            before = after[-1] if after else before
            # Twice as many each time: no more states are read again than there are new ones.
            count = 2 if after else 2 * count
        self._forget_before(thread)
        return texts

    def _forget_before(self, thread: tuple[str, str]) -> None:
        self._threads.move_to_end(thread)
        total = sum(each.size for each in self._threads.values())
        while total > self._most:
            total -= self._threads.popitem(last=False)[1].size


def as_json(step: Step) -> str:
    """Return a step as the page gets it."""
    return json.dumps(step, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
