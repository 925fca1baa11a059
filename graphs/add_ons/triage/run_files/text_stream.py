"""Reads a file of any size and encoding as UTF-8 blocks.

A block ends at a line end unless the line is longer. Text appended after opening is not read, so that growing logs end.
"""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Self

from charset_normalizer import from_bytes

from answergraph.graphs.add_ons.triage.run_files.read_only_folder import FolderError

BLOCK_BYTES = 1 << 20
SAMPLE_BYTES = 1 << 16
"""Bytes used to detect the encoding."""
MAX_BYTES = 1 << 31
"""Maximum bytes read per file: 2 GiB."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = ["cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251", "cp1252"]
"""Common encodings of logs besides Unicode's; the detector considers only these."""
_WEIGHED_BYTES = 8192
_FEW = 0.3
_NO_TEXT = bytes(frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1b"))


@dataclass(frozen=True)
class TextFile:
    """An open file and its encoding."""

    path: str
    file: BinaryIO
    encoding: str

    @classmethod
    def of(cls, path: str, file: BinaryIO) -> Self:
        """Detect the encoding of a file opened at its beginning.

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
        """Yield the text in UTF-8, from the beginning; UTF-8 files unchanged."""
        self.file.seek(0)
        left = min(os.fstat(self.file.fileno()).st_size, MAX_BYTES)
        decoder = codecs.getincrementaldecoder(self.encoding)("backslashreplace")
        kept = b""
        while left > 0 and (block := self.file.read(min(BLOCK_BYTES, left))):
            left -= len(block)
            # UTF-8 passes unchanged: it is most common, and decoding a gigabyte is slow.
            kept += block if self.encoding == "utf-8" else decoder.decode(block).encode(errors="backslashreplace")
            # A line longer than a block is cut, to bound memory.
            end = kept.rfind(b"\n") + 1 or (len(kept) if len(kept) >= BLOCK_BYTES else 0)
            if end:
                yield kept[:end]
            kept = kept[end:]
        kept += decoder.decode(b"", final=True).encode(errors="backslashreplace") if self.encoding != "utf-8" else b""
        if kept:
            yield kept


def as_text(utf8: bytes) -> str:
    """Decode UTF-8; invalid bytes become hexadecimal escapes."""
    return utf8.decode(errors="backslashreplace")


def detected_encoding(sample: bytes) -> str | None:
    """Return the encoding of a text by its beginning; ``None`` if it is not text."""
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return _utf16_without_mark(sample)
    beginning = sample[:4096]
    if len(beginning) - len(beginning.translate(None, _NO_TEXT)) > _FEW * len(beginning):
        return None
    if _is_utf8(sample):
        return "utf-8"
    # Whole lines: a cut character would mislead the detection.
    whole = sample[: sample.rfind(b"\n", 0, _WEIGHED_BYTES) + 1] or sample[:_WEIGHED_BYTES]
    match = from_bytes(whole, cp_isolation=_CANDIDATES).best()
    # Unknown or mixed encodings: ASCII is certain, the rest is shown as bytes.
    return match.encoding if match else "utf-8"


def _is_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError as error:
        # A few invalid bytes in a long log do not change its encoding: other encodings rarely decode as UTF-8.
        return not sample[: error.start].isascii() and error.start > SAMPLE_BYTES // 8
    return True


def _utf16_without_mark(sample: bytes) -> str | None:
    even, odd = sample[0::2], sample[1::2]
    if odd.count(0) > _FEW * len(odd) and even.count(0) == 0:
        return "utf-16-le"
    if even.count(0) > _FEW * len(even) and odd.count(0) == 0:
        return "utf-16-be"
    return None
