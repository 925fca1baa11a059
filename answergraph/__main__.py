"""The command ``answergraph``, also run as ``python -m answergraph``."""

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress

from answergraph.runtime.extras import MissingExtraError, extra_needed

MAX_SECONDS_AFTER_CTRL_C = 0.5
"""Time for a command to end by itself; LangGraph waits for running calls."""
SHOW_CURSOR = "\x1b[?25h"
"""Shows the cursor again after a progress bar."""


def main() -> None:
    """Run the command line; if its packages are missing, name the extra and exit with code 2."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    try:
        with extra_needed("cli", "the command line"):
            from answergraph.cli.command_line import app  # noqa: PLC0415 - its packages may be missing

            app(prog_name="answergraph")
    except MissingExtraError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from error
    except OSError as error:  # such as a full disk behind stdout
        sys.stderr.write(f"Error: {error}\n")
        os._exit(1)  # Python's own last flush would fail again


def _interrupted(*_: object) -> None:
    """Raise KeyboardInterrupt, and exit hard if that takes too long."""
    sys.stderr.write(f"{SHOW_CURSOR if sys.stderr.isatty() else ''}Interrupted.\n")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    timer = threading.Timer(MAX_SECONDS_AFTER_CTRL_C, os._exit, [128 + signal.SIGINT])
    timer.daemon = True
    timer.start()
    atexit.register(_leave)
    raise KeyboardInterrupt


def _leave() -> None:
    """End before Python frees every object, which takes seconds on a busy machine; nothing that was printed is lost."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
