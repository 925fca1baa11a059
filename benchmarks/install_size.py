"""``make install-size``: install answergraph and its peers into empty folders, and print the size of each installation."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

ROOT = Path(__file__).resolve().parents[1]
PEERS = "langchain langchain-openai langgraph"
INSTALLS = (PEERS, "answergraph", "answergraph[cli]", "answergraph[triage]", "answergraph[experiment]", "answergraph[all]")
"""The arguments of pip, per line of the table."""


def sizes(wanted: str, folder: Path) -> dict[str, int]:
    """Return the size in bytes of each installed package, without compiled bytecode."""
    # A new folder: pip installs everything that is needed, as into an empty environment.
    requirements = [name.replace("answergraph", str(ROOT)) for name in wanted.split()]
    constraints = str(ROOT / "constraints.txt")
    options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--target", str(folder)]
    versions = ["--constraint", constraints, "--build-constraint", constraints]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *versions, *requirements], check=True)
    return {
        found.metadata["Name"]: sum(path.stat().st_size for file in found.files or () if (path := folder / file).is_file())
        for found in distributions(path=[str(folder)])
    }


def main() -> None:
    """Print the table, then the packages in which the core of answergraph and its peers differ."""
    typer.echo(f"| pip install | packages | MB |\n|{'---|' * 3}")
    brought: dict[str, dict[str, int]] = {}
    for wanted in INSTALLS:
        with TemporaryDirectory() as folder:
            brought[wanted] = sizes(wanted, Path(folder))
        typer.echo(f"| `{wanted}` | {len(brought[wanted])} | {megabytes(sum(brought[wanted].values())):.0f} |")
    for title, more, less in (("more", "answergraph", PEERS), ("less", PEERS, "answergraph")):
        only = sorted((size, name) for name, size in brought[more].items() if name not in brought[less])
        said = ", ".join(f"{name} {megabytes(size):.1f} MB" for size, name in reversed(only))
        typer.echo(f"answergraph brings {title} than its peers: {said or 'nothing'}.")


def megabytes(size: int) -> float:
    """Return a size in bytes as millions of bytes."""
    return size / 1_000_000


if __name__ == "__main__":
    main()
