"""The signs of ``failure_signs.toml``: what test tools, systems and languages write, by what it means."""

import re
import tomllib
from importlib import resources
from typing import Any


def _compiled(sign: dict[str, Any]) -> re.Pattern[str]:
    exact = sign.pop("exact", False)
    return re.compile(
        "|".join(pattern for lines in sign.values() for pattern in lines.split("\n") if pattern),
        re.MULTILINE | (0 if exact else re.I),
    )


_FILE = resources.files(__package__).joinpath("failure_signs.toml")
_SIGNS = {name: _compiled(sign) for name, sign in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}

DISK, CONNECTION, HELD, RESOURCES, TIMEOUT = (_SIGNS[name] for name in ("disk", "connection", "held", "resources", "timeout"))
AWAITED_ELEMENT, ACTED, TIME_LIMIT, ENVIRON, REFUSED = (
    _SIGNS[name] for name in ("awaited_element", "acted", "time_limit", "environ", "refused")
)
ENVIRONMENT, IMPORT, SETUP, MISUSE = (_SIGNS[name] for name in ("environment", "import", "setup", "misuse"))
UNREADABLE, BROKEN, OF_ITS_OWN = (_SIGNS[name] for name in ("unreadable", "broken", "of_its_own"))
PROGRAM, RAISES = (_SIGNS[name] for name in ("program", "raises"))
RANDOM, CLOCK_CALL, EXPIRED = (_SIGNS[name] for name in ("random", "clock_call", "expired"))
TIMING, SURROUNDINGS, UNNOTICED, THIRD_PARTY = (_SIGNS[name] for name in ("timing", "surroundings", "unnoticed", "third_party"))

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
SYSTEM = {"disk": DISK, "connection": CONNECTION, "time-out": TIMEOUT, "import": IMPORT, "setup": SETUP}
"""Signs of systems, not of tests."""
UNSURE = (TIMING, RANDOM, CLOCK_CALL, SURROUNDINGS, RAISES)
"""Signs that may explain a failure without the application."""
