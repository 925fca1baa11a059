"""What a run of tests needs around it, and the ways in which it breaks while code and tests stay as they are."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

PLUGIN = "import pytest\n\n\n@pytest.fixture\ndef clean_store():\n    return {}\n\n\n"
PLUGIN += "def pytest_addoption(parser):\n    parser.addoption('--quiet-store', action='store_true')\n"
SOON_SECONDS = 6
"""How long what will expire is still valid; the sound run of the tests takes less."""


@dataclass
class Around:
    """A folder with what is needed, the variables that lead there, and what holds ports and files."""

    folder: Path
    root: Path
    """The repository whose tests are run."""
    env: dict[str, str] = field(default_factory=dict)
    prefix: str = ""
    """What a shell does before it runs the tests."""
    held: list[socket.socket] = field(default_factory=list)
    soon: datetime = field(default_factory=lambda: datetime.now() + timedelta(seconds=SOON_SECONDS))

    def __post_init__(self) -> None:
        """Write all of it, sound."""
        self.write(
            "site-packages/simplejson/__init__.py", "def loads(text, strict_keys=False):\n    return {}\n\n\ndef rows(): ...\n"
        )
        self.write("site-packages/pytest_store.py", PLUGIN)
        self.write("bin/rowcount", "#!/bin/sh\necho 3\n").chmod(0o755)
        self.write("cache/rows.json", "[]")
        self.write("cache/umlauts.txt", "Käse\n")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.env = {
            "PYTHONPATH": os.pathsep.join(map(str, (self.root, self.root / "src", self.folder / "site-packages"))),
            "PYTEST_PLUGINS": "pytest_store",
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "STORE_CACHE": str(self.folder / "cache"),
            "STORE_FILE": str(self.folder / "cache" / "rows.out"),
            "STORE_PORT": port,
            "STORE_REGION": "7",
            "STORE_URL": (self.folder / "cache" / "rows.json").as_uri(),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def write(self, path: str, text: str) -> Path:
        """Write a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def remove(self, path: str) -> None:
        """Remove a file or folder."""
        place = self.folder / path
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()

    def set(self, **variables: str) -> None:
        """Set variables; an empty one is removed."""
        self.env |= variables
        self.env = {name: value for name, value in self.env.items() if value}

    def limit(self, prefix: str) -> None:
        """Run the tests behind a prefix of the shell."""
        self.prefix = prefix

    def hold_port(self) -> None:
        """Listen on the port that the tests want."""
        with suppress(OSError):  # another program may have it by now, which is as good
            self.held.append(socket.create_server(("127.0.0.1", int(self.env["STORE_PORT"]))))

    def lose_plugin(self) -> None:
        """Remove a plugin of pytest, and do not ask for it by a variable."""
        self.remove("site-packages/pytest_store.py")
        self.set(PYTEST_PLUGINS="")

    def make_read_only(self) -> None:
        """Take the right to write in the folder; for root, the right to do so nevertheless."""
        self.remove("cache")
        self.write("cache/rows.json", "[]")
        (self.folder / "cache").chmod(0o555)
        self.prefix = "setpriv --bounding-set -dac_override " if os.geteuid() == 0 else ""

    def wait(self) -> None:
        """Wait until what expires soon has expired."""
        threading.Event().wait(max(0.0, (self.soon - datetime.now()).total_seconds()))

    def close(self) -> None:
        """Let go of what is held."""
        for each in self.held:
            each.close()


@dataclass(frozen=True)
class Way:
    """One way to break what is around a run: statements that need it, and what breaks it."""

    name: str
    uses: Sequence[str]
    breaks: Callable[[Around], object]
    sites: Sequence[str] = ("test", "fixture", "code")
    """Where the statements are put; the names are those of ``places.py``."""
    is_flaky: bool = False
    """Whether nothing around is broken, but the test itself does not always end alike."""
    fails_at_once: bool = False
    """Whether the test fails in its usual order."""
