"""The pages of a PDF: their texts, and pictures with the boxes of places."""

import base64
import struct
import zlib
from typing import Any

import pytest

from answergraph.page.pdf_pages import page_picture, page_texts
from tests.suite.pdf_files import pdf

PAGES = [["Invoice A-17", "Total 1250.00"], [], ["Terms (net)"]]


def content(*files: bytes) -> list[dict[str, str]]:
    return [{"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(file).decode()} for file in files]


def box(place: str, turn: int = 0) -> list[tuple[float, float, float, float]]:
    """Return the boxes of words on the first page."""
    file = content(pdf(PAGES, turn=turn))
    start = page_texts(file)[0].index(place)
    drawn: dict[str, Any] = page_picture(file, 0, [(start, start + len(place))])
    [boxes] = drawn["boxes"]
    return [tuple(round(share, 2) for share in each) for each in boxes]


def pixels(picture: str) -> tuple[int, int, bytes]:
    """Return width, height and rows of a PNG."""
    file = base64.b64decode(picture.removeprefix("data:image/png;base64,"))
    assert file.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", file[16:24])
    start = file.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", file[start - 8 : start - 4])
    return width, height, zlib.decompress(file[start : start + length])


def test_the_pages_of_all_files_of_a_message_are_counted_one_after_the_other() -> None:
    texts = page_texts(content(pdf(PAGES), pdf([["Second file"]])))
    assert [text.split() for text in texts] == [
        ["Invoice", "A-17", "Total", "1250.00"],
        [],
        ["Terms", "(net)"],
        ["Second", "file"],
    ]


def test_a_message_without_a_file_has_no_pages() -> None:
    assert page_texts("Total 1250.00") == []
    assert page_texts([{"type": "text", "text": "x"}, "y", {"type": "image", "base64": "not base64"}, None]) == []


def test_a_page_says_whether_it_has_text_that_is_not_drawn() -> None:
    scanned = content(pdf(PAGES, hidden=[2]))
    assert [page_picture(scanned, number, [])["hides_text"] for number in range(3)] == [False, False, True]
    assert page_texts(scanned)[2].split() == ["Terms", "(net)"]


def test_a_page_is_a_picture_in_which_its_words_are_drawn() -> None:
    drawn: dict[str, Any] = page_picture(content(pdf(PAGES)), 0, [])
    width, height, rows = pixels(drawn["picture"])
    assert (width, height) == (1200, 1699)
    assert len(rows) == height * (3 * width + 1)
    assert b"\x00\x00\x00" in rows, "black words"


def test_a_place_has_a_box_on_its_line() -> None:
    [(left, top, right, bottom)] = box("A-17")
    assert 0.15 < left < right < 0.3
    assert 0.07 < top < bottom < 0.11


def test_a_place_over_two_lines_has_two_boxes() -> None:
    first, second = box("A-17\r\nTotal")
    assert first[3] < second[1]


def test_a_turned_page_has_its_boxes_where_the_picture_shows_the_words() -> None:
    [(left, top, right, bottom)] = box("A-17", turn=180)
    assert 0.7 < left < right < 0.85
    assert 0.89 < top < bottom < 0.93


def test_a_page_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError):
        page_picture(content(pdf(PAGES)), 3, [])
