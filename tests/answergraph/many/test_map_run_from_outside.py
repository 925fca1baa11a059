"""What a user of many documents does to a map from outside: nothing that has ended is lost, and nothing ended is asked again."""

import os
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.suite.processes import Program, start

pytestmark = pytest.mark.torture

ROWS, AT_ONCE, QUICK = 30, 4, 12
PATIENCE = 120

AGENT = f"""
import asyncio, os
from answergraph import UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel

class Model(ScriptedChatModel):
    async def _agenerate(self, messages, *args, **options):
        text = messages[0].text
        with open("asked.txt", "a") as asked:
            asked.write(text + "\\n")
        while int(text) >= {QUICK} and not os.path.exists("go_on"):
            await asyncio.sleep(0.02)
        return await super()._agenerate(messages, *args, **options)

model = Model(replies=lambda messages: '{{"value": %s}}' % messages[0].text)
agent = create_agent(model, response_format=int, limits=UsageLimits(answer_attempts=1))
"""
PLAIN = f"""
from agent_of_rows import agent
from answergraph.many import map_answers

run = map_answers(agent, "rows.csv", key="id", input="body", ledger="rows.db", concurrency={AT_ONCE})
"""
AWAITED = f"""{PLAIN}
import asyncio

async def rows():
    return [row async for row in run]

asyncio.run(rows())
"""
COMMAND = f"""
import sys
from answergraph.__main__ import main

sys.argv = ["answergraph", "map", "agent_of_rows:agent", "rows.csv", "--out", "rows.parquet", "--concurrency", "{AT_ONCE}"]
main()
"""
PROGRAMS = {"command": COMMAND, "plain": f"{PLAIN}list(run)\n", "awaited": AWAITED}

SMALL_FILES = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))\n"
# Whoever runs the tests as root may write everywhere; a program that has given its capabilities away may not.
NO_ROOT = """
import ctypes, os
if os.geteuid() == 0:
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
"""


class Maps:
    """Programs that map one file in one folder."""

    def __init__(self, folder: Path, ended: ExitStack) -> None:
        self.folder = folder
        self._ended = ended
        self._started = 0

    def start(self, program: str) -> Program:
        self._started += 1
        environment = {"PYTHONPATH": f"{Path(__file__).parents[3]}{os.pathsep}{self.folder}", "PYTHONUNBUFFERED": "1"}
        log = self.folder / f"{self._started}.log"
        started = start([sys.executable, "-c", program], self.folder, environment, log)
        self._ended.callback(started.kill)
        return started

    def run(self, program: str) -> tuple[int, str]:
        """Run a program to its end, and return its exit code and its words."""
        return ended(self.start(program))

    def asked(self) -> Counter[int]:
        """Return how often each row was asked."""
        file = self.folder / "asked.txt"
        return Counter(int(line) for line in file.read_text().splitlines()) if file.exists() else Counter()

    def let_go_on(self) -> None:
        (self.folder / "go_on").touch()

    def answers(self) -> list[int]:
        return sorted(parquet.read_table(self.folder / "rows.parquet")["answer"].to_pylist())

    def states(self) -> dict[str, int]:
        """Return how many rows of the ledger are in which state."""
        with closing(sqlite3.connect(self.folder / "rows.db")) as ledger:
            return dict(ledger.execute("SELECT state, count(*) FROM answergraph_rows GROUP BY state").fetchall())

    def hung(self, program: str) -> Program:
        """Start a program, and wait until all that it asks at once hangs: what it asked before has ended."""
        before = self.asked().total()
        started = self.start(program)
        quick = max(QUICK - before, 0)
        started.wait_until(lambda: self.asked().total() == before + quick + AT_ONCE)
        return started


def ended(program: Program) -> tuple[int, str]:
    code = program.process.wait(PATIENCE)
    return code, program.log.read_text()


@pytest.fixture
def maps(tmp_path: Path) -> Iterator[Maps]:
    (tmp_path / "agent_of_rows.py").write_text(AGENT)
    (tmp_path / "rows.csv").write_text("id,body\n" + "".join(f"{number},{number}\n" for number in range(ROWS)))
    with ExitStack() as every:
        yield Maps(tmp_path, every)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_map_that_was_ended_goes_on_with_the_rows_that_have_no_end(maps: Maps, name: str, how: signal.Signals) -> None:
    program = maps.hung(PROGRAMS[name])
    program.process.send_signal(how)
    code, words = ended(program)
    if how != signal.SIGINT:
        assert (code, words) == (-how, "")
    elif name == "command":
        assert (code, words) == (130, "Interrupted.\nRepeat the command to go on from rows.db.\n")
    else:
        assert (code != 0, "KeyboardInterrupt" in words) == (True, True)
    maps.let_go_on()
    assert maps.run(COMMAND)[0] == 0
    assert maps.answers() == list(range(ROWS))
    under_way = range(QUICK, QUICK + AT_ONCE)
    assert maps.asked() == {number: 1 + (number in under_way) for number in range(ROWS)}
    assert not list(maps.folder.glob("*.partial-*"))


def test_ctrl_c_gives_the_rows_under_way_back(maps: Maps) -> None:
    program = maps.hung(COMMAND)
    program.process.send_signal(signal.SIGINT)
    ended(program)
    # A machine so busy that half a second is not enough leaves them to the next start, which takes them over.
    assert maps.states() in ({"done": QUICK}, {"done": QUICK, "running": AT_ONCE})


def test_two_processes_on_one_ledger_ask_for_no_row_twice(maps: Maps) -> None:
    first, second = maps.hung(COMMAND), maps.hung(COMMAND)
    maps.let_go_on()
    assert [ended(each)[0] for each in (first, second)] == [0, 0]
    assert maps.answers() == list(range(ROWS))
    assert maps.asked() == dict.fromkeys(range(ROWS), 1)


def test_the_rows_of_a_killed_process_are_taken_over_by_one_that_runs(maps: Maps) -> None:
    killed, runs = maps.hung(COMMAND), maps.hung(COMMAND)
    killed.kill()
    maps.let_go_on()
    assert ended(runs)[0] == 0
    assert maps.answers() == list(range(ROWS))
    assert maps.asked() == {number: 1 + (QUICK <= number < QUICK + AT_ONCE) for number in range(ROWS)}


def test_a_full_disk_is_said_and_a_larger_one_goes_on(maps: Maps) -> None:
    maps.let_go_on()
    code, words = maps.run(SMALL_FILES + COMMAND)
    assert (code, "The ledger 'rows.db' cannot be used" in words, words.count("\n")) == (2, True, 1)
    kept = maps.states().get("done", 0)
    before = maps.asked().total()
    assert maps.run(COMMAND)[0] == 0
    assert (maps.answers(), maps.asked().total() - before) == (list(range(ROWS)), ROWS - kept)


def test_a_ledger_that_may_not_be_written_is_said_before_a_row_is_asked(maps: Maps) -> None:
    maps.let_go_on()
    trial = COMMAND.replace('"--out"', '"--trial", "5", "--out"')
    assert maps.run(trial)[0] == 0
    ledger = maps.folder / "rows.db"
    ledger.chmod(0o444)
    code, words = maps.run(NO_ROOT + COMMAND)
    assert (code, words) == (2, "Error: The ledger 'rows.db' cannot be opened: it may not be written.\n")
    assert maps.asked() == dict.fromkeys(range(5), 1)
    ledger.chmod(0o644)
    assert maps.run(NO_ROOT + COMMAND)[0] == 0
    assert maps.asked() == dict.fromkeys(range(ROWS), 1)


@pytest.mark.parametrize("has_ledger", [True, False])
def test_a_folder_that_may_not_be_written_is_said_before_a_row_is_asked(maps: Maps, has_ledger: bool) -> None:
    maps.let_go_on()
    if has_ledger:
        assert maps.run(COMMAND.replace('"--out"', '"--trial", "5", "--out"'))[0] == 0
    before = maps.asked()
    maps.folder.chmod(0o555)
    try:
        code, words = maps.run(NO_ROOT + COMMAND)
    finally:
        maps.folder.chmod(0o755)
    assert (code, words.startswith("Error: The ledger 'rows.db' cannot be"), words.count("\n")) == (2, True, 1)
    assert maps.asked() == before
    assert maps.run(NO_ROOT + COMMAND)[0] == 0
    assert maps.answers() == list(range(ROWS))
