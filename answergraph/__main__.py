"""Runs the command line as ``python -m answergraph``."""

from __future__ import annotations

from answergraph.cli.command_line import main

if __name__ == "__main__":
    main()
