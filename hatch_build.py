"""Checks what is built, and sets the project URLs and the readme, whose links have to be absolute on PyPI."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINKS = ("graphs", "middleware", "nodes")

PLACEHOLDER = "https://repository.invalid"
"""Names below ``.invalid`` belong to nobody, so no link leads to a stranger's page before the project is published."""


class CheckedBuild(BuildHookInterface):
    """Stops a build that would install without its packages, and a release whose links would lead nowhere."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop if a link is a plain text file, as git writes it without symbolic links; an sdist has folders there.

        Stop also if a version that is to be published has the placeholder for its address.
        """
        lost = [f"answergraph/{name}" for name in LINKS if not Path(self.root, "answergraph", name).is_dir()]
        if lost:
            self.app.abort(
                f"{', '.join(lost)} must be symbolic links, but this clone has none. Run 'git config core.symlinks true', then "
                f"'git checkout -- {' '.join(lost)}' (on Windows turn on developer mode first), and install again."
            )
        release = self.metadata.version
        if "dev" not in release and self.metadata.core.urls["Repository"].startswith(PLACEHOLDER):
            self.app.abort(
                f"Version {release} has no address. Set 'repository' under [tool.hatch.metadata.hooks.custom] in pyproject.toml "
                "to the address of the repository, or build a development version such as '0.2.0.dev0'."
            )


class AddressedMetadata(MetadataHookInterface):
    """Sets the project URLs, and the readme with each relative link led to the repository: pictures to their bytes."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = self.config["repository"]
        pages = f"{repository}/blob/main"
        metadata["urls"] = {
            "Repository": repository,
            "Documentation": f"{pages}/docs/index.md",
            "Changelog": f"{pages}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"(!\[[^]]*\]\()(?!https?:|#)", rf"\1{repository}/raw/main/", text)
        text = re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:|#)", rf"\1{pages}/", text)
        text = re.sub(r"(?m)^(\[[^]]*\]: )(?!https?:)", rf"\1{pages}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
