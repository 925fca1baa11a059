"""A PDF with lines of text, one list for each page, as a parser reads them."""

from collections.abc import Container, Sequence

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf(pages: Sequence[Sequence[str]], *, turn: int = 0, hidden: Container[int] = ()) -> bytes:
    """Return the bytes of a file with these pages, each to be turned by so many degrees before it is read.

    The text of pages that are ``hidden`` is there and not drawn, as behind a scan.
    """
    turned = f" /Rotate {turn}" if turn else ""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(), _FONT]
    for index, lines in enumerate(pages):
        text = "".join(f"1 0 0 1 72 {760 - 24 * at} Tm ({_escaped(line)}) Tj " for at, line in enumerate(lines))
        drawn = f"BT /F1 14 Tf {'3 Tr ' if index in hidden else ''}{text}ET".encode("latin-1")
        size = "/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R {size} /Contents {5 + 2 * index} 0 R{turned} >>"
        objects += [page.encode(), b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)]
    file, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return file + head + table + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(file))


def _escaped(line: str) -> str:
    return "".join(f"\\{character}" if character in "\\()" else character for character in line)
