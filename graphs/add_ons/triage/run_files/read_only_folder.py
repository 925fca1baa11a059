"""A read-only folder that no link, ``..`` or absolute path leaves, even while it changes.

Files are opened part by part from the folder's descriptor without following links. ``FolderError`` explains unreadable files.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from langchain_core.tools import ToolException

MAX_FILES = 10_000
"""Maximum entries listed; more are reported."""
MAX_PATH_CHARACTERS = 4_096
MAX_DEPTH = 32
"""Maximum folder depth."""
MAX_KEPT_LOOKS = 16
"""Looks that are kept, each with what was read of its folder."""

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # opening a named pipe would block
_ONLY_FOLDERS = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_ON_WINDOWS = os.name == "nt"
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


class FolderError(ToolException):
    """A file or folder cannot be read; the message is one sentence, also for the model."""


@dataclass(frozen=True)
class FileEntry:
    """A file, a link or a special file in the folder."""

    path: str
    """Relative to the folder, with slashes."""
    size: int
    """In bytes."""
    kind: str = "file"
    """``"file"``, ``"link"`` or ``"special"``; only files are read."""
    changed: int = 0
    """Modification time, in nanoseconds."""


@dataclass(frozen=True)
class Listing:
    """The entries of a folder."""

    entries: tuple[FileEntry, ...]
    """Sorted by path."""
    problems: tuple[str, ...] = ()
    """One sentence for each unlisted part."""

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """The readable entries."""
        return tuple(entry for entry in self.entries if entry.kind == "file")


class Folder:
    """Reads files below one folder."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Open a folder; a link given here is followed once.

        Raises:
            FolderError: If it is not a folder.
        """
        try:
            self.root = Path(root).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise FolderError(f"{str(root)!r} is not a path: {error}.") from error
        if not self.root.is_dir():
            raise FolderError(f"{str(root)!r} is not a folder." if self.root.exists() else f"There is no folder {str(root)!r}.")

    @cached_property
    def whole(self) -> Listing:
        """The entries of the folder when they were first asked for."""
        return self.listing()

    def relative(self, path: str) -> PurePosixPath:
        """Return a path inside the folder, with slashes.

        Raises:
            FolderError: If it leaves the folder or is not a path.
        """
        slashed = path.replace("\\", "/") if _ON_WINDOWS else path
        parts = [part for part in slashed.split("/") if part not in {"", "."}]
        if len(path) > MAX_PATH_CHARACTERS:
            raise FolderError(f"A path has at most {MAX_PATH_CHARACTERS} characters, not {len(path)}.")
        leads_out = slashed.startswith("/") or ".." in parts or "\0" in path
        if leads_out or (_ON_WINDOWS and ":" in path):
            raise FolderError(f"{path!r} is not below the folder.")
        return PurePosixPath(*parts)

    def listing(self, under: str = "") -> Listing:
        """Return the entries of the folder or a part of it; links and special files are listed, not followed."""
        entries: list[FileEntry] = []
        problems: list[str] = []
        pending = [self.relative(under)]
        while pending and len(entries) < MAX_FILES:
            path = pending.pop()
            try:
                pending += self._scan(path, entries)
            except (OSError, ValueError) as error:
                problems.append(f"{str(path)!r} cannot be listed: {_error_text(error)}.")
        if pending or len(entries) >= MAX_FILES:
            problems.append(f"Only the first {MAX_FILES} files are looked at.")
        return Listing(tuple(sorted(entries[:MAX_FILES], key=lambda entry: entry.path)), tuple(problems))

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """Open a regular file, by its path relative to the folder, for reading.

        Raises:
            FolderError: If it leaves the folder, is a link, or cannot be read, also during reading.
        """
        relative = self.relative(path)
        try:
            with os.fdopen(self._descriptor(relative), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise FolderError(f"{path!r} is no regular file.")
                yield file
        except (OSError, ValueError) as error:  # the system may not support the path
            raise FolderError(f"{path!r} cannot be read: {self._why(relative, error)}.") from error

    def _scan(self, path: PurePosixPath, entries: list[FileEntry]) -> list[PurePosixPath]:
        """Add the files of a folder to the entries, and return its folders."""
        with self._opened_folder(path) as folder, os.scandir(folder) as items:
            folders = []
            for entry in items:
                inner = path / entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders += [inner] if len(inner.parts) <= MAX_DEPTH else []
                elif len(entries) < MAX_FILES:
                    entries.append(_file_entry(entry, inner))
            return folders

    @contextmanager
    def _opened_folder(self, path: PurePosixPath) -> Iterator[int | Path]:
        if not _BY_DESCRIPTOR:
            yield self._without_links(path)
            return
        descriptor = self._descriptor(path, _ONLY_FOLDERS)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _descriptor(self, path: PurePosixPath, flags: int = 0) -> int:
        """Open a path part by part, without following links."""
        if not _BY_DESCRIPTOR:
            return os.open(self._without_links(path), os.O_RDONLY | _BINARY)
        current = os.open(self.root, os.O_RDONLY | _ONLY_FOLDERS)
        for index, part in enumerate(path.parts):
            is_last = index == len(path.parts) - 1
            flags_here = os.O_RDONLY | _NO_LINKS | _AT_ONCE | (flags if is_last else _ONLY_FOLDERS)
            try:
                opened = os.open(_on_disk(part, current), flags_here, dir_fd=current)
            finally:
                os.close(current)
            current = opened
        return current

    def _without_links(self, relative: PurePosixPath) -> Path:
        path = self.root.joinpath(*relative.parts)
        if path.resolve() != path:
            raise FolderError(f"{str(relative)!r} leads through a link; links are not followed.")
        return path

    def _why(self, path: PurePosixPath, error: Exception) -> str:
        steps = [self.root.joinpath(*path.parts[: count + 1]) for count in range(len(path.parts))]
        with suppress(OSError, ValueError):
            if any(step.is_symlink() for step in steps):
                return "it is or lies behind a link, and links are not followed"
        return _error_text(error).lower()


def folder_of(state: Mapping[str, str | None]) -> Folder:
    """Return the ``folder`` of a state as its ``look`` has seen it, which the cases of a triage share; without one as it is."""
    root, look = str(state["folder"]), state.get("look")
    return _kept(root, look) if look else Folder(root)


@lru_cache(maxsize=MAX_KEPT_LOOKS)
def _kept(root: str, _look: str) -> Folder:
    return Folder(root)


def _error_text(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def shown_name(name: str) -> str:
    """Return a printable name: invalid UTF-8 bytes become hexadecimal escapes."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _on_disk(shown: str, folder: int) -> str:
    """Return the real name of an entry by its shown name."""
    if "\\x" not in shown:
        return shown
    return next((name for name in os.listdir(folder) if shown_name(name) == shown), shown)


def _file_entry(entry: os.DirEntry[str], path: PurePosixPath) -> FileEntry:
    shown = shown_name(str(path))
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:  # deleted since the listing; opening it raises
        return FileEntry(shown, 0)
    if stat.S_ISLNK(about.st_mode):
        return FileEntry(shown, 0, "link")
    kind = "file" if stat.S_ISREG(about.st_mode) else "special"
    return FileEntry(shown, about.st_size, kind, about.st_mtime_ns)
