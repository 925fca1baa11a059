"""Messages of systems and libraries about missing resources, and messages that only resemble them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.graphs.add_ons.triage.offline.test_triage_rules import case, concluded

LIBRARY = "/v/lib/python3.12/site-packages/x/core.py:9"


def raised(error: str, place: str = LIBRARY) -> str:
    return f"def test_rate():\n>       prepare()\nE       {error}\n\n{place}: {error.partition(':')[0].rpartition('.')[2]}"


def checked(stderr: str, code: int, args: str = "'pandoc'") -> str:
    ended = f"CompletedProcess(args={args}, returncode={code}, stdout='', stderr='{stderr}')"
    error = f"AssertionError: {stderr}\nE         \nE       assert {code} == 0\nE        +  where {code} = {ended}.returncode"
    return raised(error, "test_b.py:3")


ENDED = raised("subprocess.CalledProcessError: Command 'serve' returned non-zero exit status 1.", "shop/b.py:3")


@pytest.mark.parametrize(
    "error",
    [
        "PermissionError: [Errno 13] Permission denied: '/var/log/shop.log'",
        "OSError: [Errno 30] Read-only file system: '/data/x'",
        "OSError: [Errno 8] Exec format error: './tool'",
        "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
        "openai.OpenAIError: The api_key client option must be set",
        "locale.Error: unsupported locale setting",
        "zoneinfo.ZoneInfoNotFoundError: 'No time zone found with key Europe/Berlin'",
        "_tkinter.TclError: no display name and no $DISPLAY environment variable",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
        "ImportError: /lib/libc.so.6: version `GLIBC_2.34' not found (required by /v/x.so)",
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility",
        "RuntimeError: Found no NVIDIA driver on your system.",
        'psycopg2.OperationalError: FATAL:  database "shop_test" does not exist',
        "git.InvalidGitRepositoryError: fatal: not a git repository",
        "WebDriverException: Message: 'chromedriver' executable needs to be in PATH.",
    ],
)
def test_a_missing_resource_of_the_machine_is_not_an_application_failure(error: str) -> None:
    assert concluded(case(raised(error))) == (True, "tool_bug")


@pytest.mark.parametrize(
    ("details", "verdict"),
    [
        (raised("requests.HTTPError: 429 Client Error: Too Many Requests for url: https://x"), (True, "temporary_error")),
        (
            "CypressError: `cy.visit()` failed trying to load:\n\n> Error: connect ECONNREFUSED 127.0.0.1:3000",
            (True, "temporary_error"),
        ),
        (
            raised("FileNotFoundError: [Errno 2] No such file or directory: 'git'", "/usr/lib/python3.12/subprocess.py:9"),
            (True, "tool_bug"),
        ),
        # The application itself refuses it, or should have written it.
        (raised("PermissionError: bob may not delete", "shop/users.py:3"), (None, None)),
        (raised("AssertionError: assert 'Permission denied' in 'ok'"), (None, None)),
        (raised("FileNotFoundError: [Errno 2] No such file or directory: 'rates.csv'", "test_rates.py:4"), (True, "tool_bug")),
        (raised("FileNotFoundError: [Errno 2] No such file or directory: 'tmp/a0/rates.csv'", "test_rates.py:4"), None),
        (raised("FileNotFoundError: [Errno 2] No such file or directory: 'out/rates.csv'", "test_rates.py:4"), None),
        (raised("FileNotFoundError: [Errno 2] No such file or directory: 'rates.csv'", "shop/rates.py:4"), None),
        (raised("sqlite3.IntegrityError: UNIQUE constraint failed: users.email", "shop/tests.py:4"), (True, "tool_bug")),
        (raised("TypeError: 'NoneType' object does not support item assignment", "test_rates.py:4"), None),
    ],
)
def test_the_owner_of_the_missing_resource_decides(details: str, verdict: tuple[bool | None, str | None] | None) -> None:
    assert concluded(case(details, message=details.splitlines()[0])) == verdict


@pytest.mark.parametrize(
    ("details", "output", "verdict"),
    [
        (raised("SystemExit: 1", "shop/server.py:9"), "OSError: [Errno 98] Address already in use", (True, "tool_bug")),
        (raised("OSError: [Errno 27] File too large", "shop/export.py:9"), "", (True, "temporary_error")),
        (
            raised("subprocess.CalledProcessError: Command 'make' returned non-zero exit status 127.", "shop/b.py:3"),
            "",
            (True, "tool_bug"),
        ),
        (
            raised("subprocess.CalledProcessError: Command '['git', 'log']' returned non-zero exit status 128.", "shop/b.py:3"),
            "",
            (True, "tool_bug"),
        ),
        (raised("UnicodeEncodeError: 'ascii' codec can't encode character", "shop/b.py:3"), "", (True, "tool_bug")),
        (
            raised("FileNotFoundError: [Errno 2] No such file or directory: 'tests/data/rates.csv'", "shop/rates.py:4"),
            "",
            (True, "tool_bug"),
        ),
        (raised("OSError: [Errno 30] Read-only file system: '/data/rates.csv'", "shop/rates.py:4"), "", (True, "tool_bug")),
        (raised("locale.Error: unsupported locale setting", "shop/rates.py:4"), "", (True, "tool_bug")),
        (raised("hypothesis.errors.FlakyFailure: Inconsistent results from replaying a test case!"), "", (True, "tool_bug")),
        (raised('Fixture "lamp" called directly. Fixtures are not meant to be called'), "", (True, "tool_bug")),
        (checked("/bin/sh: 1: pandoc: not found", 127), "", (True, "tool_bug")),
        (checked("", 127), "", (True, "tool_bug")),
        (checked("OSError: [Errno 98] Address already in use", 1), "", (True, "tool_bug")),
        (
            checked("fatal: not a git repository (or any of the parent directories): .git", 128, "['git', 'log']"),
            "",
            (True, "tool_bug"),
        ),
        (raised("assert 127 == 0", "test_b.py:3"), "/bin/sh: 1: pandoc: not found", (True, "tool_bug")),
        (
            raised("subprocess.CalledProcessError: Command 'git log' returned non-zero exit status 128.", "shop/b.py:3"),
            "",
            (True, "tool_bug"),
        ),
        (ENDED, "OSError: [Errno 98] Address already in use", (True, "tool_bug")),
        (ENDED, "UnicodeEncodeError: 'ascii' codec can't encode character", (True, "tool_bug")),
        (
            raised("FileNotFoundError: [Errno 2] No such file or directory: 'fixtures/rates.csv'", "shop/rates.py:4"),
            "",
            (True, "tool_bug"),
        ),
    ],
)
def test_a_cause_that_the_text_spells_out_is_told(details: str, output: str, verdict: tuple[bool, str]) -> None:
    assert concluded(case(details, output=output)) == verdict
    assert concluded(case(details, log=output)) == verdict


@pytest.mark.parametrize(
    ("details", "output"),
    [
        (ENDED, "rate 7: not found"),
        (raised("SystemExit: 1", "shop/rates.py:9"), "rate 7: not found"),
        (ENDED, "    print(name.encode('ascii'))\nUnicodeEncodeError: 'ascii' codec can't encode character"),
    ],
)
def test_what_a_program_of_the_application_says_of_itself_excuses_nothing(details: str, output: str) -> None:
    assert concluded(case(details, output=output)) in {None, (None, None)}


@pytest.mark.parametrize("source", ["return name.encode('ascii')", "return path.read_text(encoding='ascii')"])
def test_a_character_set_that_the_code_asks_for_is_not_of_the_machine(source: str) -> None:
    error = "UnicodeEncodeError: 'ascii' codec can't encode character"
    assert concluded(case(raised(error, "shop/b.py:3").replace("prepare()", source))) == (None, None)


SAID = json.loads(Path(__file__).with_name("said_by_tools.json").read_text(encoding="utf-8"))
"""Failures as many tools write them, and what their text alone decides."""
VERDICTS: dict[tuple[bool | None, str | None] | None, str] = {
    (True, "tool_bug"): "not-real",
    (True, "temporary_error"): "not-real",
    (False, None): "real",
    (None, None): "disagreement",
    None: "open",
}


@pytest.mark.parametrize("name", SAID)
def test_the_words_of_many_tools_are_understood(name: str) -> None:
    said = SAID[name]["says"]
    facts = case(said, message="" if "\nE  " in said else said.strip().splitlines()[0])
    assert VERDICTS[concluded(replace(facts, test=SAID[name]["test"]))] == SAID[name]["verdict"]
