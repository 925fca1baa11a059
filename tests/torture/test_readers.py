"""Every reader of untrusted text takes linear time; a reader without a row in the register fails here."""

import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.torture.growth import MAX_EXPONENT, Growth, growth
from tests.torture.not_measured import NOT_MEASURED
from tests.torture.readers import READERS, Reader

ROOT = Path(__file__).parents[2]
READS = re.compile(
    r"\bre\.(?:compile|sub|search|match|split)\(|json\.loads\(|from_json\(|ast\.parse\(|yaml\.|JSONDecoder|re2\.|XMLParser"
)
PACKAGES = ("answergraph", "graphs", "nodes", "middleware")


def modules_that_read() -> set[str]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    here = {file.relative_to(ROOT) for file in files if READS.search(file.read_text())}
    return {
        ".".join(("answergraph", *path.with_suffix("").parts)).replace("answergraph.answergraph", "answergraph") for path in here
    }


@pytest.fixture(scope="module")
def fresh_process() -> Iterator[Executor]:
    """A process of its own: where earlier tests left memory in pieces, large inputs take longer than their size says."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        yield process


def growths(name: str) -> dict[str, Growth]:
    (reader,) = (each for each in READERS if each.name == name)
    return {kind: growth(reader.read, hostile, reader.largest) for kind, hostile in reader.hostile.items()}


@pytest.mark.torture
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_takes_linear_time(reader: Reader, fresh_process: Executor) -> None:
    grown = fresh_process.submit(growths, reader.name).result()
    assert {name: each for name, each in grown.items() if each.exponent > MAX_EXPONENT} == {}


def test_every_module_that_reads_text_is_in_the_register() -> None:
    measured = {module for reader in READERS for module in reader.modules}
    listed = measured | NOT_MEASURED.keys()
    assert {module for module in modules_that_read() if not module.startswith(tuple(listed))} == set()


def test_the_register_names_only_modules_that_exist() -> None:
    named = {module for reader in READERS for module in reader.modules} | NOT_MEASURED.keys()
    files = [*(ROOT / "answergraph").rglob("*.py"), *(ROOT / "graphs").rglob("*.py"), *(ROOT / "nodes").rglob("*.py")]
    known = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    there = tuple(module if module.startswith("answergraph.") else f"answergraph.{module}" for module in known)
    assert [module for module in named if not any(each.startswith(module) for each in there)] == []
