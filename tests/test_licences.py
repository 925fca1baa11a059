"""The licences of what answergraph installs are listed in `docs/install.md`."""

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAYS = {"MIT": "MIT", "BSD": "BSD", "Apache 2.0": "Apache", "PSF": "PSF|Python Software Foundation"}
"""The licences of the table, with what they are called in the metadata of packages."""


def listed() -> dict[str, str]:
    """Return the licence of each package of the table."""
    table = (ROOT / "docs" / "install.md").read_text(encoding="utf-8").partition("## Licences")[2]
    rows = re.findall(r"^\| (.+) \| (.+) \|$", table, re.MULTILINE)
    return {package: licence for licence, packages in rows if licence in SAYS for package in packages.split(", ")}


def required() -> set[str]:
    """Return the packages that answergraph installs itself, with any of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    names = {re.split(r"[\[<>=~!; ]", requirement)[0] for requirement in (*project["dependencies"], *extras)}
    return names - {"answergraph"}


def said_by(package: str) -> str:
    """Return what a package says of its licence."""
    fields = metadata(package).json
    classified = [text for text in fields.get("classifier", ()) if text.startswith("License")]
    return " ".join([*(str(fields.get(name, "")) for name in ("license_expression", "license")), *classified])


def test_each_package_that_is_installed_is_listed_once() -> None:
    assert set(listed()) == required()


def test_each_licence_is_the_one_that_the_package_states() -> None:
    assert [package for package, licence in listed().items() if not re.search(SAYS[licence], said_by(package))] == []
