"""Bytes to text: UTF-8 and UTF-16, with or without a mark, and any encoding that the text itself declares."""

from __future__ import annotations

import codecs
import re

from symrnn.errors import DocumentError, Place

HEAD = 2048
"""Bytes at the head of a file in which an encoding is declared."""

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
         (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
"""Marks of the order of bytes, and what they stand for; a longer one comes before its beginning."""

DECLARED = (
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([\w.-]+)"),
    re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.-]+)", re.I),
    re.compile(rb"\\usepackage\s*\[\s*([\w.-]+)\s*\]\s*\{inputenc\}"),
)
"""How a Python source, a page in HTML and a TeX file declare their encoding."""

TEX_NAMES = {"ansinew": "cp1252", "applemac": "mac-roman", "utf8x": "utf-8"}
"""Encodings that have a name of their own in TeX."""


def decoded(data: bytes, path: str) -> str:
    r"""The text of a file.

    Bytes that are none in its encoding become replacement characters: the span that they stand in cannot be read, the others can.
    Errors: :class:`DocumentError` where the text declares an encoding that nobody knows.

    >>> decoded("é".encode(), "a.md"), decoded("é".encode("utf-16"), "a.md"), decoded("h_t".encode("utf-16-le"), "a.md")
    ('é', 'é', 'h_t')
    >>> decoded(b"# -*- coding: latin-1 -*-\n\xe9", "a.py")
    '# -*- coding: latin-1 -*-\né'
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data[len(mark):].decode(encoding, errors="replace")
    head = data[:HEAD]
    first, second = head[::2].count(0), head[1::2].count(0)         # Latin letters in UTF-16 have a null byte each
    for encoding, many, few in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        if 4 * many > len(head) and 16 * few < len(head):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _declared(data, path)


def _declared(data: bytes, path: str) -> str:
    """A text in the encoding that it declares itself; in UTF-8 where it declares none."""
    found = next((m for pattern in DECLARED if (m := pattern.search(data[:HEAD]))), None)
    if found is None:
        return data.decode("utf-8", errors="replace")
    name = found[1].decode("ascii", errors="replace")
    try:
        return data.decode(TEX_NAMES.get(name.lower(), name), errors="replace")
    except (LookupError, UnicodeError):
        raise DocumentError("the encoding of the document", must="be one that Python knows", came=name,
                            where=Place(path, data[: found.start(1)].count(b"\n") + 1), next_step="Save the document in UTF-8.") from None
