"""The commands that need no files."""

import subprocess
import sys

COMMANDS = (["--version"], ["ask", "2 + 3"], ["demo"], ["triage", "--help"], ["experiment", "--help"], ["map", "--help"])


def main() -> None:
    """Run each command."""
    for command in COMMANDS:
        subprocess.run([sys.executable, "-m", "answergraph", *command], check=True, capture_output=True)


if __name__ == "__main__":
    main()
