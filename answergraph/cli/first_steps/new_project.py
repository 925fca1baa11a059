"""The project that ``answergraph new`` writes."""

import keyword
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from answergraph import AgentSpecError

TEMPLATES = Path(__file__).parent / "project"
"""Template files, in their folders; ``NAME`` and ``EXECUTABLE`` (the Python with answergraph) are placeholders."""


def write_project(folder: Path) -> Iterator[Path]:
    """Write a project to a new folder and yield its files; raise ``AgentSpecError`` if the folder exists or is no module name."""
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name):
        raise AgentSpecError(f"{folder.name!r} cannot be the name of a Python module; use letters, digits and '_'.")
    if folder.exists():
        raise AgentSpecError(f"{str(folder)!r} exists already; nothing was written.")
    if find_spec(folder.name) is not None:  # in its folder the project would be imported in place of that module
        raise AgentSpecError(f"{folder.name!r} is the name of a module of this Python already; name the agent otherwise.")
    folder.mkdir(parents=True)
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        path = folder / str(template.relative_to(TEMPLATES)).removesuffix(".txt").replace("NAME", folder.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = template.read_text(encoding="utf-8").replace("NAME", folder.name).replace("EXECUTABLE", sys.executable)
        path.write_text(text, encoding="utf-8")
        yield path
