"""Wheel, sdist and editable install: complete from a clone with symbolic links, stopped at once from one without."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ("graphs", "middleware", "nodes")
LINKS = [f"answergraph/{layer}" for layer in LAYERS]
BUILDS = ("build_wheel", "build_sdist", "build_editable")
"""The functions of the build backend that pip calls for a wheel, for an sdist and for ``pip install --editable``."""

Ended = subprocess.CompletedProcess[str]


def ran(folder: Path, *command: str) -> Ended:
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=300)


def clone(folder: Path, *, symlinks: bool) -> Path:
    setting = f"core.symlinks={str(symlinks).lower()}"
    subprocess.run(["git", "clone", "-q", "-c", setting, str(ROOT), str(folder)], check=True, timeout=300)
    return folder


def build(project: Path, function: str) -> Ended:
    call = f"import hatchling.build, sys; print(hatchling.build.{function}(sys.argv[1]))"
    return ran(project, sys.executable, "-c", call, str(project.parent))


@pytest.fixture(scope="module")
def without_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone(tmp_path_factory.mktemp("without") / "clone", symlinks=False)


@pytest.fixture(scope="module")
def with_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone(tmp_path_factory.mktemp("with") / "clone", symlinks=True)


@pytest.mark.parametrize("function", BUILDS)
def test_a_clone_without_symbolic_links_is_not_built(without_links: Path, function: str) -> None:
    ended = build(without_links, function)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{', '.join(LINKS)} must be symbolic links")
    assert "git config core.symlinks true" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_pip_shows_what_is_wrong_with_the_clone(without_links: Path) -> None:
    ended = ran(without_links, sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", ".")
    assert ended.returncode == 1
    assert "must be symbolic links" in ended.stdout + ended.stderr


def test_the_commands_of_the_message_repair_the_clone(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone", symlinks=False)
    ran(project, "git", "config", "core.symlinks", "true")
    ran(project, "git", "checkout", "--", *LINKS)
    assert build(project, "build_editable").returncode == 0


def test_a_wheel_has_all_layers(with_links: Path) -> None:
    ended = build(with_links, "build_wheel")
    assert ended.returncode == 0, ended.stderr
    names = ZipFile(with_links.parent / ended.stdout.split()[-1]).namelist()
    assert [layer for layer in LAYERS if f"answergraph/{layer}/__init__.py" not in names] == []


def test_the_links_of_the_readme_lead_to_the_repository(with_links: Path) -> None:
    wheel = ZipFile(with_links.parent / build(with_links, "build_wheel").stdout.split()[-1])
    (metadata,) = [wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA")]
    links = re.findall(r"\]\(([^)#][^)]*)\)|^\[\w+\]: (.+)$", metadata, re.MULTILINE)
    assert len(links) > 10
    assert [link for link in map("".join, links) if not link.startswith("https://")] == []
    assert "Project-URL: Repository, https://" in metadata


def test_a_release_needs_the_address_of_its_repository(tmp_path: Path) -> None:
    project = clone(tmp_path / "clone", symlinks=True)
    package = project / "answergraph/__init__.py"
    package.write_text(re.sub(r'(?m)^__version__ = ".*"', '__version__ = "1.0.0"', package.read_text()))
    ended = build(project, "build_wheel")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert ended.stderr.startswith("Version 1.0.0 has no address. Set 'repository'")

    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace("https://repository.invalid/", "https://git.example/"))
    wheel = ZipFile(tmp_path / build(project, "build_wheel").stdout.split()[-1])
    metadata = wheel.read("answergraph-1.0.0.dist-info/METADATA").decode()
    assert "Project-URL: Repository, https://git.example/answergraph\n" in metadata
    assert "](https://git.example/answergraph/blob/main/docs/page.md)" in metadata
    assert "repository.invalid" not in metadata


def test_an_sdist_builds_the_same_wheel(with_links: Path, tmp_path: Path) -> None:
    sdist = with_links.parent / build(with_links, "build_sdist").stdout.split()[-1]
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    ended = build(unpacked, "build_wheel")
    assert ended.returncode == 0, ended.stderr
    wheel = ended.stdout.split()[-1]
    build(with_links, "build_wheel")
    assert sorted(ZipFile(tmp_path / wheel).namelist()) == sorted(ZipFile(with_links.parent / wheel).namelist())
