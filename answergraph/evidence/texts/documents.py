"""Reads the text of a document, of a PDF with its pages and the boxes of its words: of a file, or of a content block."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import accumulate
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from answergraph.runtime.extras import extra_needed

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_PDF = b"%PDF-"
_PDFIUM = RLock()
_WORD = re.compile(r"\S+")
_SCALE = 10_000
"""Steps of a page's width and height, for boxes as shares of them."""


class DocumentPage(NamedTuple):
    """The text of a file, or of one page of a PDF."""

    text: str
    about: Mapping[str, object] = {}
    """The name of the file; of a PDF the page from 0, and per word its start, end, left, top, right and bottom, as shares of the
    page."""

    @property
    def unread(self) -> str:
        """What of it was not read."""
        return f"page {int(str(self.about['page'])) + 1} of a PDF" if "page" in self.about and not self.text.strip() else ""


def pages_of_file(data: bytes, name: str = "this file") -> list[DocumentPage]:
    """Return the text of a file; of a PDF, one per page.

    Raises:
        MissingExtraError: If it is a PDF and pypdfium2 is not installed.
        ValueError: If it is neither a PDF that can be read nor text in UTF-8.
    """
    if data.startswith(_PDF):
        with opened_pdf(data) as document:
            return list(_pages(document))
    try:
        return [DocumentPage(data.decode("utf-8-sig"))]
    except UnicodeDecodeError as error:
        # The bytes do not say which encoding they are in, and a wrong guess would change words.
        raise ValueError(
            f"{name} is neither a PDF nor text in UTF-8; convert a text first, as with 'iconv -f latin1 -t utf-8', "
            "and save another document as a PDF"
        ) from error


def pages_of_block(block: Mapping[str, object]) -> list[DocumentPage]:
    """Return the texts of a content block of LangChain with the bytes of a file; none if it has no text."""
    encoded = _encoded_in(block)
    try:
        pages = pages_of_file(base64.b64decode(encoded, validate=True)) if encoded else []
    except (binascii.Error, ValueError):
        return []
    named = {"filename": name} if (name := _name_in(block)) else {}
    return [page._replace(about={**page.about, **named}) for page in pages]


def _name_in(block: Mapping[str, object]) -> str:
    """Return the name of a file, which LangChain and the providers hold in several places; empty if there is none."""
    places = [block, *(part for name in ("file", "source", "extras", "metadata") if isinstance(part := block.get(name), Mapping))]
    return next((str(place[key]) for place in places for key in ("filename", "title", "name") if place.get(key)), "")


def _encoded_in(block: Mapping[str, object]) -> str:
    """Return the base64 of a file, which providers hold in fields of their own, some as a data URL; empty if there is none."""
    held = next((part for name in ("file", "source") if isinstance(part := block.get(name), Mapping)), block)
    is_data = "base64" in {held.get("type"), held.get("source_type")} or held.get("type") == "media"
    data = held.get("base64") or held.get("file_data") or (held.get("data") if is_data else None)
    is_seen = block.get("type") in {"image", "audio", "video"}
    return data.rpartition(";base64,")[2] if isinstance(data, str) and not is_seen else ""


def sources_in(pages: Iterable[DocumentPage], start: int = 0) -> list[list[Any]]:
    """Return the start, the end and the description of each file, and of each page of a PDF, in their joined texts."""
    every = list(pages)
    places = zip(accumulate((len(page.text) for page in every), initial=start), every, strict=False)
    return [[low, low + len(page.text), dict(page.about)] for low, page in places if page.about]


@contextmanager
def opened_pdf(data: bytes) -> Iterator[PdfDocument]:
    """Open a PDF for one thread: PDFium is not made for several, and two that read at once end the process."""
    with extra_needed("documents", "a PDF as a source"):
        import pypdfium2  # noqa: PLC0415 - an extra

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise ValueError(f"a PDF cannot be read: {error}") from error  # broken, or with a password
        with closing(document):
            yield document


def _pages(document: PdfDocument) -> Iterator[DocumentPage]:
    for number, page in enumerate(document):
        text = page.get_textpage().get_text_bounded()
        yield DocumentPage(text, {"page": number, "words": list(_words(page, text))})


def _words(page: Any, text: str) -> Iterator[list[float]]:
    """Yield the words of a page with their boxes; none where the parser counts its characters in another way."""
    import pypdfium2  # noqa: PLC0415 - an extra

    textpage = page.get_textpage()
    if text != textpage.get_text_range():
        return
    shares = pypdfium2.PdfPosConv(page, (0, 0, _SCALE, _SCALE, 0))
    for match in _WORD.finditer(text):
        ends = (pypdfium2.raw.FPDFText_GetCharIndexFromTextIndex(textpage, at) for at in (match.start(), match.end() - 1))
        boxes = [textpage.get_charbox(end, loose=True) for end in ends]
        corners = [shares.to_bitmap(*corner) for left, low, right, high in boxes for corner in ((left, low), (right, high))]
        across, down = [[value / _SCALE for value in values] for values in zip(*corners, strict=True)]
        yield [match.start(), match.end(), min(across), min(down), max(across), max(down)]
