"""Real texts of installed packages: documentation, licences, code, data, catalogues."""

from __future__ import annotations

import os
import re
import struct
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MAX_CHARACTERS = 6000
"""The part of a file that is one tool result."""
MIN_CHARACTERS = 200


@dataclass(frozen=True)
class RealText:
    """One text, as a tool may return it."""

    kind: str
    text: str


_KINDS = {
    "licence": ("*.dist-info/licenses/**/LICENSE*", "*.dist-info/LICENSE*"),
    "metadata": ("*.dist-info/METADATA",),
    "markdown": ("**/*.md",),
    "rst": ("**/*.rst", "**/*.txt"),
    "json": ("**/*.json",),
    "csv": ("**/*.csv",),
    "html": ("**/*.html", "**/*.htm"),
    "python": ("**/*.py",),
    "javascript": ("**/*.js",),
    "c": ("**/*.h", "**/*.c"),
    "settings": ("**/*.toml", "**/*.cfg", "**/*.css"),
}


def real_texts(per_kind: int, *, languages: int = 40) -> Iterator[RealText]:
    """Yield texts of each kind, spread over the packages, the same in every run."""
    root = Path(sysconfig.get_paths()["purelib"])
    for kind, patterns in _KINDS.items():
        files = sorted(path for path in _files(root, patterns) if 500 < path.stat().st_size < 400_000)
        for path in _spread(files, per_kind):
            text = _read(path)
            if text:
                yield RealText(kind, text)
    yield from (RealText("topics", text) for text in _topics(per_kind))
    yield from _catalogues(root, languages)


def _files(root: Path, patterns: Iterable[str]) -> set[Path]:
    anywhere = {pattern.removeprefix("**/*") for pattern in patterns if pattern.startswith("**/*")}
    placed = [pattern for pattern in patterns if not pattern.startswith("**/*")]
    files = {path for pattern in placed for path in root.glob(pattern)}
    return files.union(*(_by_suffix(root).get(suffix, ()) for suffix in anywhere))


@cache
def _by_suffix(root: Path) -> dict[str, list[Path]]:
    """Return the files of all packages by their suffix; one walk takes a second."""
    files: dict[str, list[Path]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            files.setdefault(os.path.splitext(name)[1], []).append(Path(folder, name))
    return files


def _spread(files: list[Path], count: int) -> list[Path]:
    step = max(len(files) // count, 1)
    return files[::step][:count]


def _read(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError):
        return None
    if len(text) > MAX_CHARACTERS:
        # Whole lines, so that no quote begins in a word of the cut.
        start = text.find("\n", len(text) // 3) + 1
        text = text[start : start + MAX_CHARACTERS].rpartition("\n")[0]
    return text if len(text) >= MIN_CHARACTERS and "\x00" not in text else None


def _topics(count: int) -> Iterator[str]:
    from pydoc_data.topics import topics  # noqa: PLC0415 - half a megabyte

    for name in sorted(topics)[:count]:
        if len(topics[name]) >= MIN_CHARACTERS:
            yield topics[name][:MAX_CHARACTERS].rpartition("\n")[0]


def _catalogues(root: Path, languages: int) -> Iterator[RealText]:
    """Yield the longer messages of catalogues of translations, one text for each language."""
    found: dict[str, list[Path]] = {}
    for path in sorted(root.glob("**/LC_MESSAGES/*.mo")):
        found.setdefault(path.parents[1].name, []).append(path)
    for language in sorted(found)[:languages]:
        messages: list[str] = []
        for path in sorted(found[language], key=lambda path: -path.stat().st_size)[:2]:
            said = _translations(path.read_bytes())
            messages += [" ".join(value.split()) for value in said if len(value) > 40 and not re.search(r"%|\{|<", value)]
        text = "\n".join(messages[:80])
        if len(text) >= MIN_CHARACTERS:
            yield RealText(f"catalogue {language}", text)


def _translations(data: bytes) -> list[str]:
    """Return what a compiled catalogue holds besides its head, by its originals."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, table = struct.unpack(f"{order}3I", data[8:20])
    entries = [struct.unpack(f"{order}2I", data[at : at + 8]) for at in range(table, table + 8 * count, 8)]
    return [data[start : start + length].decode() for length, start in entries[1:]]
