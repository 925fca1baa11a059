"""Reads the text of a document: of a file, or of a content block with its bytes."""

import base64
import binascii
from collections.abc import Iterator, Mapping

from answergraph.runtime.extras import extra_needed

_PDF = b"%PDF-"


def texts_of_file(data: bytes, name: str = "this file") -> list[str]:
    """Return the text of a file; of a PDF, one per page.

    Raises:
        MissingExtraError: If it is a PDF and pypdfium2 is not installed.
        ValueError: If it is neither a PDF nor text in UTF-8.
    """
    if data.startswith(_PDF):
        return list(_pages(data))
    try:
        return [data.decode("utf-8-sig")]
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is neither a PDF nor text in UTF-8") from error


def texts_of_block(block: Mapping[str, object]) -> list[str]:
    """Return the texts of a content block of LangChain with the bytes of a file; none if it has no text."""
    encoded = block.get("base64") or (block.get("data") if block.get("source_type") == "base64" else None)
    if not isinstance(encoded, str):
        return []
    try:
        return texts_of_file(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return []


def _pages(data: bytes) -> Iterator[str]:
    with extra_needed("documents", "a PDF as a source"):
        import pypdfium2  # noqa: PLC0415 - an extra

    document = pypdfium2.PdfDocument(data)
    try:
        for page in document:
            yield page.get_textpage().get_text_bounded()
    finally:
        document.close()
