"""`make torture`: hostile texts, odd replies of a server, callers' schemas, kills and load, in the table of docs/reliability.md.

A line ends with "no" if its result is over the bound; then the command fails.
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
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.suite.postgres import is_installed, private_postgres
from tests.torture import chaos, schema_runs
from tests.torture.growth import MAX_EXPONENT, growth
from tests.torture.hostile_replies import REPLIES
from tests.torture.kills.counting import Tally, places, tally_of
from tests.torture.kills.killed_run import Library
from tests.torture.load.scenarios import Finding, findings
from tests.torture.readers import READERS
from tests.torture.schema_runs import MAX_REQUEST_CHARACTERS

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
    """Every reply in eight of the ways to ask: strategy, API, and blocking, awaited or streamed; each with the next turn."""
    became = chaos.became_of(chaos.cases(8, list(REPLIES)[::part]))
    wrong = {case: said for case, said in became.items() if not {*said} <= chaos.FINE}
    for case, said in wrong.items():
        _tell(f"{case}: {said}")
    own = sum(said == "the client's own error" for said, _ in became.values())
    what = f"{len(became):,} odd replies of a server, each with the next turn"
    yield Finding(what, f"{len(wrong)} without an outcome; {own} that the client itself cannot read", NONE, not wrong)


def schemas(part: int) -> Iterator[Finding]:
    """Every seventh of the combinations of schema, answer and strategy; seven has no factor in common with their numbers."""
    chosen = schema_runs.runs(7 * part)
    wrong = list(schema_runs.wrong(chosen))
    for run, said in wrong:
        _tell(f"{' | '.join(run)}: {said}")
    seconds, memory = schema_runs.MAX_CPU_SECONDS, schema_runs.MAX_MEMORY_BYTES / 1e9
    limits = f"over {seconds} s, {memory:g} GB or {MAX_REQUEST_CHARACTERS:,} characters of a request"
    yield Finding(
        f"{len(chosen):,} runs with a caller's costly schema and a costly answer", f"{len(wrong)} {limits}", NONE, not wrong
    )


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


PARTS: dict[str, Callable[[int], Iterator[Finding]]] = {
    "readers": readers,
    "replies": replies,
    "schemas": schemas,
    "kills": kills,
    "load": findings,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", type=int, default=1, metavar="N", help="an N-th of the cases only; the page stays as it is")
    arguments = parser.parse_args()
    logging.getLogger("langgraph").setLevel(logging.ERROR)  # LangChain stores answers as objects, and LangGraph warns about that
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
