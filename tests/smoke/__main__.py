"""Runs the programs of the documentation, and those beside this file, with another Python: ``python -m tests.smoke PYTHON``.

``make test-lowest`` and ``make test-highest`` install the wheel there with the lowest and the highest versions that it allows.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.suite.page_examples import page_examples

PROGRAMS = Path(__file__).parent / "programs"
MAX_SECONDS = 120


def written(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Write each program into a folder, where nothing of this checkout can be imported; yield names and arguments of Python."""
    for example in page_examples():
        if not example.is_run or example.page.name == "CONTRIBUTING.md":  # for who has the checkout
            continue
        prompts = example.code.startswith(">>>")
        file = folder / re.sub(r"\W+", "-", str(example))
        file = file.with_suffix(".txt" if prompts else ".py")
        setup = file.with_suffix(".setup")
        setup.write_text(example.setup)
        before = f">>> exec(open({str(setup)!r}, encoding='utf-8').read(), globals())\n" if prompts else example.setup
        file.write_text(before + example.code)
        yield str(example), [*(["-m", "doctest", "-o", "ELLIPSIS"] if prompts else []), str(file)]
    for program in sorted(PROGRAMS.glob("[!_]*.py")):
        yield program.stem, [str(shutil.copy(program, folder / program.name))]


def failure(python: str, arguments: list[str], folder: Path) -> str:
    """Return how a program failed, or an empty text; ``-I`` keeps the variables and the folder of this process out."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OPENAI_"))}
    command = [python, "-I", *arguments]
    try:
        ended = subprocess.run(
            command, cwd=folder, env=settings, check=False, capture_output=True, text=True, timeout=MAX_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no end after {MAX_SECONDS} seconds"
    return ended.stdout + ended.stderr if ended.returncode else ""


def main(python: str) -> int:
    """Run every program; print the failures, and return whether there are any."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        failures = {program: failure(python, arguments, folder) for program, arguments in written(folder)}
    failed = {program: text for program, text in failures.items() if text}
    for program, text in failed.items():
        print(f"--- {program}\n{text}")
    print(f"{len(failures) - len(failed)} of {len(failures)} programs run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).absolute())))
