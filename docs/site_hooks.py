"""Hooks of MkDocs: links to files outside ``docs/``, and what the command line says about itself."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_BOOSTS = {"how-to/": 4, "tutorial/": 3, "reference/": 0.3, "decisions/": 0.1, "architecture": 0.1, "seeds": 0.1}
"""Who searches has a task: pages of these paths stand above the others in the results, or below them."""
_HELP = re.compile(r"<!-- help: (?P<command>[\w -]*?) *-->")


def on_config(config: Any) -> Any:
    """Return the configuration with the repository's address, which pyproject.toml has once for the package and the site."""
    with ROOT.joinpath("pyproject.toml").open("rb") as file:
        config.repo_url = tomllib.load(file)["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page whose links outside ``docs/`` lead to the repository, with the help of commands in place of its marks."""
    folder = Path(page.file.abs_src_path).parent
    boosts = [boost for start, boost in _BOOSTS.items() if page.file.src_uri.startswith(start)]
    page.meta["search"] = {"boost": boosts[0] if boosts else 1}

    def linked(match: re.Match[str]) -> str:
        target = (folder / match["path"]).resolve()
        if not target.exists():
            return match[0]  # MkDocs warns
        if target.is_relative_to(ROOT / "docs") and target.is_file():
            return match[0]
        return f"]({config.repo_url}/blob/main/{target.relative_to(ROOT).as_posix()}{match['anchor'] or ''})"

    return _HELP.sub(lambda match: f"```text\n{command_help(match['command'])}```", _LINK.sub(linked, markdown))


def command_help(command: str) -> str:
    """Return what ``answergraph COMMAND --help`` prints."""
    arguments = [sys.executable, "-m", "answergraph", *command.split(), "--help"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment).stdout
