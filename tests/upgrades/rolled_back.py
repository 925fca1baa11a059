"""Threads of a later version, continued by the version whose code is on the path: prints, per thread, what ended otherwise.

Runs in a process of its own, beside the sources of that version (``tests/upgrades/test_rollback.py``).
"""

import json
import sys
from pathlib import Path

import answergraph
from tests.upgrades.stopped_threads import differences
from tests.upgrades.thread_kinds import KINDS


def main(file: str) -> None:
    content = Path(file).read_bytes()
    ends = {thread: found for name in KINDS for thread, found in differences(content, name).items()}
    sys.stdout.write(json.dumps({"library": answergraph.__file__, "kinds": list(KINDS), "differences": ends}))


if __name__ == "__main__":
    main(sys.argv[1])
