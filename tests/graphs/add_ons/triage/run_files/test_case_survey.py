"""Which cases of a folder are judged."""

from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage.run_files.case_survey import Survey, survey_of
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results


def surveyed(place: Path) -> Survey:
    return survey_of(Folder(place))


def ids(place: Path) -> list[tuple[str, str]]:
    return [(case.kind, case.result.id) for case in surveyed(place).cases]


def test_a_test_that_ran_several_times_is_one_case(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_total", "E"), passed("test_tax"))
    write_results(tmp_path, passed("test_total"), name="again/results.xml", started="2026-01-02T04:00:00")
    (case,) = surveyed(tmp_path).cases
    assert (case.result.id, [other.id for other in case.others]) == ("results.xml#1", ["again/results.xml#1"])


def test_the_first_failure_represents_the_case(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_total", "E"), name="attempt-2/results.xml", started="2026-01-02T04:00:00")
    write_results(tmp_path, failed("test_total", "E"), started="2026-01-02T03:00:00")
    assert ids(tmp_path) == [("failed", "results.xml#1")]


@pytest.mark.parametrize("said", ["Traceback (most recent call last):", "ERROR no lamp", "Exception in thread T-1", "panic: nil"])
def test_a_passed_case_whose_output_shows_a_failure_is_a_case(tmp_path: Path, said: str) -> None:
    write_results(tmp_path, passed("test_total", f"starting\n{said}\n"), passed("test_tax", "0 errors; nothing wrong"))
    assert ids(tmp_path) == [("passed", "results.xml#1")]


def test_a_passed_case_named_above_a_failure_in_a_log_is_a_case(tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_total"), passed("test_tax"), failed("test_rate", "E"))
    (tmp_path / "app.log").write_text(
        "shop.test_total begins\nall fine\nshop.test_tax begins\nCRITICAL: no rate\nshop.test_rate begins\nERROR: known\n"
    )
    assert ids(tmp_path) == [("failed", "results.xml#3"), ("passed", "results.xml#2")]


def test_a_log_of_another_folder_does_not_count(tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_total"), name="a/results.xml")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "app.log").write_text("test_total\nERROR\n")
    assert ids(tmp_path) == []


def test_an_unreadable_file_is_reported_and_the_others_are_surveyed(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_total", "E"))
    (tmp_path / "bad.xml").write_text("<testsuite")
    (tmp_path / "core.log").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "link.log").symlink_to("/etc/hostname")
    found = surveyed(tmp_path)
    assert len(found.cases) == 1
    assert [problem.split("'")[1] for problem in found.problems] == ["bad.xml", "link.log", "core.log"]


def test_a_case_is_found_by_the_id_of_any_of_its_results(tmp_path: Path) -> None:
    write_results(tmp_path, failed("test_total", "E"), passed("test_tax"))
    write_results(tmp_path, passed("test_total"), name="again.xml")
    found = surveyed(tmp_path)
    assert {found.case(name).result.id for name in ("results.xml#1", "again.xml#1")} == {"results.xml#1"}  # type: ignore[union-attr]  # a missing case fails the test
    assert found.case("results.xml#2").kind == "passed"  # type: ignore[union-attr]  # a missing case fails the test
    assert found.case("results.xml#9") is None


NAMESAKES = (
    passed("test_signer").replace('"shop"', '"tests.test_a.TestA"'),
    failed("test_signer", "E").replace('"shop"', '"tests.test_a.TestB"'),
    passed("test_rate[1]"),
    failed("test_rate[2]", "E"),
)


@pytest.mark.parametrize(
    "log",
    [
        "______ TestB.test_signer ______\n    def test_signer(self):\n>       assert 1 == 2\nE  AssertionError",
        "tests/test_a.py::TestB::test_signer FAILED\nTraceback (most recent call last):",
        "test_signer\nTraceback (most recent call last):",
        "______ test_rate[2] ______\nE  AssertionError",
        "test_rate\nE  AssertionError",
        # The class of the heading has no result in the folder.
        "______ TestC.test_signer ______\n    def test_signer(self):\nE  AssertionError",
        "tests/test_a.py::TestA::test_signer PASSED\n______ TestC.test_other ______\nE  AssertionError",
    ],
)
def test_a_passed_case_is_not_accused_of_the_failure_of_its_namesake(tmp_path: Path, log: str) -> None:
    write_results(tmp_path, *NAMESAKES)
    (tmp_path / "console.log").write_text(log)
    assert ids(tmp_path) == [("failed", "results.xml#2"), ("failed", "results.xml#4")]


@pytest.mark.parametrize(
    "log",
    [
        # A file and a test are called alike, and the line above names another test.
        "tests/test_b.py::test_other\nERROR tests/test_lfu.py::TestLFU::test_insert - AssertionError",
        # The line of source code names no parameters.
        "______ test_format[2] ______\n    def test_format(n):\n>       assert n == 3\nE       AssertionError",
    ],
)
def test_a_line_that_may_mean_several_tests_accuses_none(tmp_path: Path, log: str) -> None:
    cases = [passed("test_other"), passed("test_insert"), passed("test_format")]
    in_lfu = [failed("test_insert", "E"), passed("test_lfu"), failed("test_format[2]", "E")]
    write_results(tmp_path, *cases, *(case.replace('"shop"', '"tests.test_lfu.TestLFU"') for case in in_lfu))
    (tmp_path / "console.log").write_text(log)
    assert [kind for kind, _ in ids(tmp_path)] == ["failed", "failed"]


@pytest.mark.parametrize(
    ("log", "case"),
    [("tests/test_a.py::TestA::test_signer\nAssertionError", "results.xml#1"), ("test_rate[1]\nAssertionError", "results.xml#3")],
)
def test_a_log_that_names_class_or_parameters_means_that_case(tmp_path: Path, log: str, case: str) -> None:
    write_results(tmp_path, *NAMESAKES)
    (tmp_path / "console.log").write_text(log)
    assert ids(tmp_path)[2:] == [("passed", case)]


WRONG = "def test_signer(self):\n>       assert sign() == 2\nE       assert 3 == 2\n\ntests/test_a.py:4: AssertionError"


@pytest.mark.parametrize(
    "log",
    [
        "______ TestA.test_signer ______\nERROR shop: Connection refused",
        "tests/test_a.py::TestA::test_signer FAILED\nERROR shop: Connection refused",
        "______ test_signers ______\nERROR shop: Connection refused\n______ TestB.test_signer ______",
        "ERROR shop: Connection refused\ntests/test_a.py::TestB::test_signer FAILED",
        "test_signer\nERROR shop: Connection refused",
    ],
)
def test_a_failed_case_is_not_explained_by_the_log_of_its_namesake(tmp_path: Path, log: str) -> None:
    cases = (passed("test_signer"), failed("test_signer", WRONG))
    classes = ("tests.test_a.TestA", "tests.test_a.TestB")
    write_results(tmp_path, *(case.replace("shop", name, 1) for case, name in zip(cases, classes, strict=True)))
    (tmp_path / "console.log").write_text(log)
    report = create_triage_agent().invoke({"folder": str(tmp_path)})["reports"][0]
    assert (report["test"], report["verdict"]) == ("tests.test_a.TestB::test_signer", "disagreement")


def test_a_failed_case_is_explained_by_its_own_log(tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_signer"), failed("test_signer", WRONG).replace("shop", "tests.test_a.TestB", 1))
    (tmp_path / "console.log").write_text("______ TestB.test_signer ______\nERROR shop: Connection refused")
    (report,) = create_triage_agent().invoke({"folder": str(tmp_path)})["reports"]
    assert (report["answer"] or {})["evidence"] == ["ERROR shop: Connection refused"]
