"""Work trees of their own for witnesses: the code as it stands, an earlier commit, or one's code with the other's tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from answergraph import AgentSpecError
from answergraph.graphs.add_ons.triage.offline.stack_frames import Frame

MAX_GIT_SECONDS = 120
"""Time for one command of git."""
MAX_CHANGES = 10
"""Changed places that are named."""
_IDENTITY = {f"GIT_{who}_{what}": "answergraph" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_IDENTITY |= {f"GIT_{who}_DATE": "2000-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
"""The same files are the same commit."""


class Change(NamedTuple):
    """Changed lines of a file."""

    path: str
    first: int
    lines: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}"

    def is_among(self, run: Container[str]) -> bool:
        """Return whether one of its lines is, each written as ``shop/cart.py:12``."""
        return any(f"{self.path}:{line}" in run for line in range(self.first, self.first + self.lines))


@dataclass(frozen=True)
class Repository:
    """A git repository, whose own work tree, index and branches stay as they are."""

    root: Path

    @classmethod
    def around(cls, folder: Path) -> "Repository":
        """Return the repository that a folder lies in.

        Raises:
            AgentSpecError: If it lies in none.
        """
        try:
            return cls(Path(cls(folder).git("rev-parse", "--show-toplevel").strip()))
        except (OSError, subprocess.SubprocessError) as error:
            raise AgentSpecError(f"Witnesses need a git repository; {str(folder)!r} lies in none.") from error

    def git(self, *arguments: str, env: dict[str, str] | None = None, stdin: str | None = None) -> str:
        """Return what a command of git writes."""
        # A caller's own repository, such as that of a hook, is not the one that is meant; hooks of this one are not for us.
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        command = ["git", "-c", f"core.hooksPath={os.devnull}", "-C", str(self.root), *arguments]
        own |= {"GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0", **(env or {})}
        done = subprocess.run(
            command,
            input=stdin,
            env=own,
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=MAX_GIT_SECONDS,
        )
        return done.stdout

    def commit(self, ref: str) -> str:
        """Return the commit that a name means.

        Raises:
            AgentSpecError: If there is none.
        """
        try:
            return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").strip()
        except subprocess.SubprocessError as error:
            raise AgentSpecError(f"There is no commit {ref!r} in {str(self.root)!r}.") from error

    def snapshot(self) -> str:
        """Return a commit with the files as they stand, those that git does not know yet too; no branch leads to it."""
        head = self.commit("HEAD")
        with tempfile.TemporaryDirectory(prefix="answergraph-index-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            self.git("read-tree", head, env=index)
            self.git("add", "--all", env=index)
            tree = self.git("write-tree", env=index).strip()
        if tree == self.git("rev-parse", f"{head}^{{tree}}").strip():
            return head
        return self.git("commit-tree", tree, "-p", head, "-m", "The files as they stand", env=_IDENTITY).strip()

    def files(self, commit: str) -> list[str]:
        """Return the paths of a commit's files."""
        return self.git("ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1]

    def between(self, old: str, new: str) -> list[str]:
        """Return the commits after one, up to another, the oldest first."""
        return self.git("rev-list", "--first-parent", "--reverse", f"{old}..{new}").split()

    def changes(self, old: str, new: str, test_file: str) -> list[Change]:
        """Return the changes outside the tests between two commits."""
        changes: list[Change] = []
        path = ""
        for line in self.git("diff", "--unified=0", "--no-renames", "--no-color", "--no-ext-diff", old, new).splitlines():
            # The new path comes second; a file that is gone has only the old one, and no first line.
            path = line[6:] if line.startswith(("--- a/", "+++ b/")) else path
            if line.startswith("@@ ") and not _is_test(path, test_file):
                first, _, count = line.split("+")[1].split(" ")[0].partition(",")
                # Where lines are gone, those beside them are meant.
                changes.append(Change(path, max(int(first), 1), 2 if count == "0" else int(count or 1)))
        return changes

    @contextmanager
    def work_tree(self, code: str, *, tests: str, test_file: str) -> Iterator[Path]:
        """Check out the code of one commit with the tests of another; the folder is gone afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="answergraph-witness-")).resolve()
        tree = folder / "tree"
        try:
            self.git("worktree", "add", "--quiet", "--detach", str(tree), code)
            if tests != code:
                self._exchange_tests(tree, code, tests, test_file)
            yield tree
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.git("worktree", "prune")

    def _exchange_tests(self, tree: Path, code: str, tests: str, test_file: str) -> None:
        changed = self.git("diff", "--name-status", "--no-renames", "-z", code, tests).split("\0")
        pairs = [(status, path) for status, path in zip(changed[::2], changed[1::2], strict=False) if _is_test(path, test_file)]
        for path in (path for status, path in pairs if status == "D"):
            (tree / path).unlink(missing_ok=True)
        paths = "\0".join(path for status, path in pairs if status != "D")
        if paths:
            Repository(tree).git("checkout", tests, "--pathspec-from-file=-", "--pathspec-file-nul", stdin=paths)


def _is_test(path: str, test_file: str) -> bool:
    return path == test_file or Frame(path, "").is_test
