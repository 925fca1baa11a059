"""The command ``answergraph``, also run as ``python -m answergraph``."""

from __future__ import annotations

import sys

from answergraph.runtime.extras import MissingExtraError, extra_needed


def main() -> None:
    """Run the command line; without its packages say what to install, with exit code 2."""
    try:
        with extra_needed("cli", "the command line"):
            from answergraph.cli.command_line import app  # noqa: PLC0415 - its packages may be missing
    except MissingExtraError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from error
    app(prog_name="answergraph")


if __name__ == "__main__":
    main()
