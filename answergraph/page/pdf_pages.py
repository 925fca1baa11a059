"""The pages of the PDFs in a message: the text of each, and its picture with the boxes of places in its text."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from answergraph.kit.texts import opened_pdf

if TYPE_CHECKING:
    from pypdfium2 import PdfBitmap, PdfPage

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, as shares of the page from its upper left corner."""

PIXELS_WIDE = 1200
"""Of a picture."""
MAX_PIXELS_HIGH = 4800
_CHANNELS = 3


def page_texts(content: object) -> list[str]:
    """Return the text of each page of the PDFs in a message's content, in the order in which evidence counts them."""
    with _pages(content) as pages:
        return [page.get_textpage().get_text_bounded() for page in pages]


def page_picture(content: object, number: int, spans: Sequence[tuple[int, int]]) -> dict[str, object]:
    """Return a page as a PNG, whether it has text that is not drawn, and the boxes of each span; one over two lines has two.

    Args:
        content: Of the message.
        number: Of the page, from 0.
        spans: In characters of the page's text.

    Raises:
        IndexError: If there is no such page.
    """
    from pypdfium2 import raw  # noqa: PLC0415 - an extra

    with _pages(content) as pages:
        page = pages[number]
        texts = page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT])
        hides = any(raw.FPDFTextObj_GetTextRenderMode(each.raw) == raw.FPDF_TEXTRENDERMODE_INVISIBLE for each in texts)
        width, height = page.get_size()
        scale = min(PIXELS_WIDE / width, MAX_PIXELS_HIGH / height)
        bitmap = page.render(scale=scale, rev_byteorder=True)
        picture = base64.b64encode(_png(bitmap)).decode()
        return {"picture": f"data:image/png;base64,{picture}", "hides_text": hides, "boxes": _boxes(page, bitmap, spans)}


@contextmanager
def _pages(content: object) -> Iterator[list[PdfPage]]:
    with ExitStack() as opened:
        documents = [opened.enter_context(opened_pdf(data)) for data in _pdfs(content)]
        yield [page for document in documents for page in document]


def _pdfs(content: object) -> Iterator[bytes]:
    for block in content if isinstance(content, list) else []:
        encoded = (block.get("base64") or block.get("data")) if isinstance(block, dict) else None
        try:
            data = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
        except binascii.Error:
            continue
        if data.startswith(b"%PDF-"):
            yield data


def _boxes(page: PdfPage, bitmap: PdfBitmap, spans: Sequence[tuple[int, int]]) -> list[list[Box]]:
    """Return the boxes of spans; none if the parser counts other characters than its text has."""
    text = page.get_textpage()
    page_text = text.get_text_bounded()
    counted = [(text.get_text_range(index, 1), index) for index in range(text.count_chars())]
    solid = [(character, index) for character, index in counted if not character.isspace()]
    positions = [at for at, character in enumerate(page_text) if not character.isspace()]
    if [page_text[at] for at in positions] != [character for character, _ in solid]:
        return [[] for _ in spans]
    index_of = {at: index for at, (_, index) in zip(positions, solid, strict=True)}
    on_picture = bitmap.get_posconv(page)  # knows how the page is turned

    def box_of(index: int) -> Box:
        left, bottom, right, top = text.get_charbox(index)
        (x, y), (other_x, other_y) = on_picture.to_bitmap(left, top), on_picture.to_bitmap(right, bottom)
        wide, high = sorted((x / bitmap.width, other_x / bitmap.width)), sorted((y / bitmap.height, other_y / bitmap.height))
        return wide[0], high[0], wide[1], high[1]

    return [_lines([box_of(index_of[at]) for at in range(*span) if at in index_of]) for span in spans]


def _lines(boxes: Sequence[Box]) -> list[Box]:
    """Return one box for each line of characters; a character that overlaps the one before in height is on its line."""
    lines: list[Box] = []
    for box in boxes:
        last = lines[-1] if lines else None
        if last and box[1] < last[3] and last[1] < box[3]:
            lines[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            lines.append(box)
    return lines


def _png(bitmap: PdfBitmap) -> bytes:
    """Return a bitmap of three bytes for each pixel as a file."""
    rows = bytes(bitmap.buffer)
    wide = bitmap.width * _CHANNELS
    raw = b"".join(b"\x00" + rows[start : start + wide] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))
    header = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(raw, 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
