"""The triage of folders that are large or change during the run."""

import threading
from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from tests.graphs.add_ons.triage.junit_files import failed, write_results

REFUSED = "E       ConnectionRefusedError: [Errno 111] Connection refused\n\nrates.py:7: ConnectionRefusedError"
GIGABYTE = 1 << 30


@pytest.mark.torture
def test_a_log_of_a_gigabyte_is_searched_and_the_case_is_judged(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_rates", "assert 503 == 200\n\ntest_rates.py:4: AssertionError"))
    block = b"2026-11-21 10:00:00 INFO nothing to see here at all\n" * 20_000
    with (tmp_path / "app.log").open("wb") as log:
        while log.tell() < GIGABYTE:
            log.write(block)
        log.write(b"test_rates FAILED\nERROR rates: Connection refused\n")
    (report,) = create_triage_agent().invoke({"folder": str(tmp_path)})["reports"]
    assert report["answer"] is not None
    assert report["answer"]["misclassification_cause"] == "temporary_error"
    assert report["answer"]["evidence"] == ["ERROR rates: Connection refused"]


def test_a_folder_that_changes_while_it_is_read_is_still_triaged(tmp_path: Path) -> None:
    names = [f"test_{number}" for number in range(20)]
    write_results(tmp_path, *(failed(name, REFUSED) for name in names))
    stop = threading.Event()

    def churn() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            log = tmp_path / f"app-{number % 3}.log"
            log.write_text("test_1 FAILED\n" * (number % 50))
            log.unlink()
            log.symlink_to("/etc/hostname")
            log.unlink()
            (tmp_path / "half.xml").write_text("<testsuite><testcase"[: number % 20])

    churning = threading.Thread(target=churn)
    churning.start()
    try:
        reports = create_triage_agent().invoke({"folder": str(tmp_path)})["reports"]
    finally:
        stop.set()
        churning.join()
    assert [case["test"] for report in reports for case in report["cases"]] == [f"shop::{name}" for name in names]
    assert {report["status"] for report in reports} == {"answered"}


def test_results_deleted_after_the_survey_end_with_a_reason(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_rates", REFUSED))
    triage = create_triage_agent()
    reasons = []
    for chunk in triage.stream({"folder": str(tmp_path)}, stream_mode="updates"):
        if "find_cases" in chunk:
            (tmp_path / "results.xml").unlink()
        reasons += [report["reason"] for report in chunk.get("triage_case", {}).get("reports", ())]
    assert len(reasons) == 1
    assert reasons[0]


def test_a_log_says_why_a_runner_never_wrote_its_results(tmp_path: Path) -> None:
    for said in (
        ("test_shop.py Fatal Python error: Aborted", '  File "/app/test_shop.py", line 2 in test_total'),
        ("test_shop.py Killed",),
        ("FAILED test_shop.py::test_total - assert 1 == 2",),
        ("....Fatal Python error: Segmentation fault",),
        ("ImportError: Error importing plugin 'pytest_store': No module named 'pytest_store'",),
        ("ImportError while loading conftest '/app/tests/conftest.py'.", "E   ModuleNotFoundError: No module named 'shop'"),
        ("python -m pytest: error: unrecognized arguments: --cov=shop",),
        ("ERROR: file or directory not found: tests/test_cart.py",),
    ):
        (tmp_path / "console.log").write_text("\n".join(["collecting", *said, ""]))
        problems = create_triage_agent().invoke({"folder": str(tmp_path)})["problems"]
        assert problems[1:] == [f"console.log:{number} says why: {line.strip()}" for number, line in enumerate(said, start=2)]
