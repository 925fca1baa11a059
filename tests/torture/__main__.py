"""`make torture`: hostile readers, a server's odd replies, kills and load, in one table; docs/reliability.md has the last one.

A line ends with "no" where what was found is over its bound, and the command fails then.
"""

from __future__ import annotations

import argparse
import logging
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.openai_server import Reply
from tests.suite.postgres import is_installed, private_postgres
from tests.torture import test_chaos as chaos
from tests.torture.growth import MAX_EXPONENT, growth
from tests.torture.kills.counting import Tally, places, tally_of
from tests.torture.kills.killed_run import Library
from tests.torture.load.scenarios import Finding, findings
from tests.torture.readers import READERS

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
_TABLE = re.compile(r"(?<=<!-- table -->\n).*(?=<!-- end of table -->)", re.DOTALL)
NONE = "0"


def readers(part: int) -> Iterator[Finding]:
    worst, inputs = (0.0, "none took long enough to measure"), 0
    for reader in READERS[::part]:
        for name, hostile in list(reader.hostile.items())[::part]:
            inputs += 1
            worst = max(worst, (growth(reader.read, hostile, reader.largest).exponent, f"{reader.name}: {name}"))
    what = f"{inputs:,} hostile inputs for {len(READERS[::part])} readers"
    yield Finding(
        what, f"time grows with size to the power {worst[0]:.2f} ({worst[1]})", str(MAX_EXPONENT), worst[0] <= MAX_EXPONENT
    )


def replies(part: int) -> Iterator[Finding]:
    """Every reply to every strategy over both APIs, blocking, awaited and streamed in turn; each with the next turn."""
    chosen = list(chaos.REPLIES.items())[::part]
    servers = [(strategy, responses_api) for responses_api in (False, True) for strategy in chaos.STRATEGIES]
    wrong = [fault for strategy, responses_api in servers for fault in _faults(strategy, responses_api, chosen)]
    what = f"{len(servers) * len(chosen)} odd replies of a server, each with the next turn"
    yield Finding(what, f"{len(wrong)} without an outcome", NONE, not wrong)


def _faults(strategy: Any, responses_api: bool, chosen: list[tuple[str, Reply]]) -> Iterator[str]:
    with chaos.chaos_server() as (script, server):
        agents = [(way, chaos.agent_of(server, strategy, way, responses_api)) for way in chaos.WAYS]
        for (way, agent), (name, reply) in zip(cycle(agents), chosen, strict=False):
            script[:] = [reply] * 2
            yield from chaos.faults(partial(way, agent), script, name)


def kills(part: int) -> Iterator[Finding]:
    found: dict[tuple[str, str, Library], Tally] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(private_postgres()) if is_installed() else None
        for number, (way, place) in enumerate(places(folder, postgres), 1):
            key = (way.store, way.durability, way.library)
            found[key] = found.get(key, Tally()) + tally_of(way, folder, place, part, min(number, part))
            _tell(f"{' '.join(way)}: {found[key].problems or 'nothing lost'}")
    for (store, durability, library), tally in sorted(found.items()):
        said = f"{tally.lost} lost, {tally.repeated} repeated, {tally.differing} differing"
        again = f"{tally.not_stored} tools run and not stored, at most {tally.most_not_stored} at once"
        bound = "0, 0, 0" if library == "answergraph" else "none: for comparison"
        what = f"{tally.kills} kills of {library} on {store}, durability {durability}"
        yield Finding(what, f"{said}; {again}", bound, tally.holds or library != "answergraph")


PARTS: dict[str, Callable[[int], Iterator[Finding]]] = {"readers": readers, "replies": replies, "kills": kills, "load": findings}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", type=int, default=1, metavar="N", help="an N-th of the cases only; the page stays as it is")
    arguments = parser.parse_args()
    logging.getLogger("langgraph").setLevel(logging.ERROR)  # LangChain's answers are stored as objects, which LangGraph warns of
    started, found = time.monotonic(), list[Finding]()
    for name in arguments.parts:
        for finding in PARTS[name](arguments.part):
            _tell(" | ".join(map(str, finding)))
            found.append(finding)
    command = "make torture" + (f" TORTURE_ARGS='{' '.join(sys.argv[1:])}'" if len(sys.argv) > 1 else "")
    minutes = (time.monotonic() - started) / 60
    lines = [
        f"Measured on {date.today():%d %B %Y} by `{command}`, Python {platform.python_version()}, in {minutes:.0f} minutes.",
        "",
        "| what was done | what was found | bound | kept |",
        "|---|---|---|---|",
        *(f"| {each.what} | {each.found} | {each.bound} | {'yes' if each.holds else 'no'} |" for each in found),
        "",
    ]
    print("\n".join(lines))
    if len(sys.argv) == 1:
        PAGE.write_text(_TABLE.sub(lambda _: "\n".join(["", *lines]), PAGE.read_text()))
    return 0 if all(finding.holds for finding in found) else 1


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
