"""Text of any encoding is read as UTF-8, in blocks; binary files are recognized."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder, FolderError
from answergraph.graphs.add_ons.triage.run_files.text_stream import BLOCK_BYTES, TextFile, as_text, detected_encoding

JAPANESE = "10:00 接続エラー: サーバーが応答しません\n" * 20


def text_of(data: bytes) -> str:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "app.log").write_bytes(data)
        with Folder(place).open("app.log") as file:
            return as_text(b"".join(TextFile.of("app.log", file).blocks()))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain\n", "ascii"),
        ("naïve café\n", "utf-8"),
        ("naïve café\n", "utf-8-sig"),
        (JAPANESE, "utf-8"),
        (JAPANESE, "utf-16"),
        (JAPANESE, "utf-32"),
        ("Fehler: Zeit abgelaufen\n", "utf-16-le"),
        ("Fehler: Zeit abgelaufen\n", "utf-16-be"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        ("Größe überschritten, Verbindung schließt\n" * 5, "cp1252"),
    ],
)
def test_a_text_is_read_in_its_encoding(text: str, encoding: str) -> None:
    assert text_of(text.encode(encoding)) == text


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=200))
def test_every_printable_utf8_text_is_unchanged(text: str) -> None:
    shown = "".join(sign for sign in text if sign.isprintable() or sign in "\n\t")
    assert text_of(shown.encode()) == shown


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_as_text_or_reported_as_binary(data: bytes) -> None:
    if detected_encoding(data) is None:
        with pytest.raises(FolderError, match="binary file"):
            text_of(data)
    else:
        text_of(data).encode()  # raises if a block is not text


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\0\0\0" * 9, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", os.urandom(4096) + b"\0\0\1"]
)
def test_a_binary_file_is_named_as_one_with_its_size(data: bytes) -> None:
    with pytest.raises(FolderError, match=f"'app.log' is a binary file of {len(data)} bytes"):
        text_of(data)


def test_a_stray_byte_is_shown_and_the_rest_is_read() -> None:
    text = "é line\n" * 10_000
    assert text_of(text.encode() + b"\xff end") == text + "\\xff end"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp932"])
def test_a_text_of_many_blocks_comes_back_whole(encoding: str) -> None:
    text = JAPANESE * 3000
    assert text_of(text.encode(encoding)) == text


def test_a_line_longer_than_a_block_is_cut_and_nothing_is_lost() -> None:
    text = "x" * (3 * BLOCK_BYTES) + "\nend"
    assert text_of(text.encode()) == text
