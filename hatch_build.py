"""Stops a build from a clone without symbolic links, and makes the links of the README absolute, so that they work on PyPI."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINKS = ("graphs", "middleware", "nodes")


class SymbolicLinksHook(BuildHookInterface):
    """Checks that each link in ``answergraph/`` leads to its folder; an sdist has the folders themselves there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop if a link is a plain text file, as git writes it where it may not make symbolic links."""
        lost = [f"answergraph/{name}" for name in LINKS if not Path(self.root, "answergraph", name).is_dir()]
        if lost:
            self.app.abort(
                f"{', '.join(lost)} must be symbolic links, but this clone has none. Run 'git config core.symlinks true', then "
                f"'git checkout -- {' '.join(lost)}' (on Windows turn on developer mode first), and install again."
            )


class ReadmeHook(MetadataHookInterface):
    """Sets the readme, each relative link led to the repository: pictures to their bytes, all else to its page."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = metadata["urls"]["Repository"]
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\1{repository}/raw/main/", text)
        text = re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\1{repository}/blob/main/", text)
        text = re.sub(r"(?m)^(\[[^]]*\]: )(?!https?:)", rf"\1{repository}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
