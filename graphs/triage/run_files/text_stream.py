"""Reads a file of any size and encoding as text: block by block, each block in UTF-8, never the whole.

A block ends at the end of a line unless the line is longer than a block. What was written to the file after it was opened is
not read, so that a log that grows while it is read has an end.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from charset_normalizer import from_bytes

from answergraph.graphs.triage.run_files.read_only_folder import FolderError

BLOCK_BYTES = 1 << 20
SAMPLE_BYTES = 1 << 16
"""How much of a file decides on its encoding."""
MAX_BYTES = 1 << 31
"""How much of one file is read at most: 2 GiB."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = ["cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251", "cp1252"]
"""The encodings that logs come in beside Unicode's; the detector weighs these and no rarer ones."""
_WEIGHED_BYTES = 8192
_FEW = 0.3
_NO_TEXT = frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1b")


@dataclass(frozen=True)
class TextFile:
    """An open file and how its bytes are to be read."""

    path: str
    file: BinaryIO
    encoding: str

    @classmethod
    def of(cls, path: str, file: BinaryIO) -> TextFile:
        """Detect the encoding of a file that is open at its beginning.

        Raises:
            FolderError: If it is a binary file.
        """
        sample = file.read(SAMPLE_BYTES)
        file.seek(0)
        encoding = detected_encoding(sample)
        if encoding is None:
            raise FolderError(f"{path!r} is a binary file of {os.fstat(file.fileno()).st_size} bytes, not text.")
        return cls(path, file, encoding)

    def blocks(self) -> Iterator[bytes]:
        """Yield the text in UTF-8, from the beginning; of a UTF-8 file the bytes as they are."""
        self.file.seek(0)
        left = min(os.fstat(self.file.fileno()).st_size, MAX_BYTES)
        decoder = codecs.getincrementaldecoder(self.encoding)("backslashreplace")
        kept = b""
        while left > 0 and (block := self.file.read(min(BLOCK_BYTES, left))):
            left -= len(block)
            kept += self._as_utf8(block, decoder)
            # A line longer than a block is cut; no more than that is ever held.
            end = kept.rfind(b"\n") + 1 or (len(kept) if len(kept) >= BLOCK_BYTES else 0)
            if end:
                yield kept[:end]
            kept = kept[end:]
        kept += decoder.decode(b"", final=True).encode(errors="backslashreplace") if self.encoding != "utf-8" else b""
        if kept:
            yield kept

    def _as_utf8(self, block: bytes, decoder: codecs.IncrementalDecoder) -> bytes:
        # UTF-8 goes through untouched: it is by far the most, and decoding a gigabyte takes its time.
        return block if self.encoding == "utf-8" else decoder.decode(block).encode(errors="backslashreplace")


def as_text(utf8: bytes) -> str:
    """Return UTF-8 as text; a byte that is no UTF-8 is written as a backslash, x and its two hexadecimal digits."""
    return utf8.decode(errors="backslashreplace")


def detected_encoding(sample: bytes) -> str | None:
    """Return the encoding of a text, by its beginning; ``None`` if it is no text.

    Example:
        >>> detected_encoding("時刻 10:00 接続エラー".encode("cp932"))
        'cp932'
    """
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return _utf16_without_mark(sample)
    beginning = sample[:4096]
    if sum(byte in _NO_TEXT for byte in beginning) > _FEW * len(beginning):
        return None
    if _is_utf8(sample):
        return "utf-8"
    # Whole lines: half a character at the end would speak against the right encoding.
    whole = sample[: sample.rfind(b"\n", 0, _WEIGHED_BYTES) + 1] or sample[:_WEIGHED_BYTES]
    match = from_bytes(whole, cp_isolation=_CANDIDATES).best()
    # An unknown encoding, or several in one file: ASCII is what is certain, and the rest is shown as bytes.
    return match.encoding if match else "utf-8"


def _is_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError as error:
        # A stray byte in a long log does not make it another encoding: nothing else reads as UTF-8 by chance.
        return not sample[: error.start].isascii() and error.start > SAMPLE_BYTES // 8
    return True


def _utf16_without_mark(sample: bytes) -> str | None:
    even, odd = sample[0::2], sample[1::2]
    if odd.count(0) > _FEW * len(odd) and even.count(0) == 0:
        return "utf-16-le"
    if even.count(0) > _FEW * len(even) and odd.count(0) == 0:
        return "utf-16-be"
    return None
