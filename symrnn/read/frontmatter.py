r"""Front matter: the YAML at the head of a document, of which the value of the key `symrnn` is built and nothing else.

Only plain data is built: no tag makes an object, a key may stand once, and what is written by aliases is counted as often as it
is used, so that a few lines cannot become a large value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import yaml

from symrnn.errors import DocumentError, Place

NODE_LIMIT = 10_000
"""How many values and keys declarations may have, each alias counted with all that it stands for."""
DEPTH_LIMIT = 20
"""How deeply the values of declarations may be nested."""
DIGIT_LIMIT = 100
"""How long a number may be."""

_FRONT = re.compile(r"---[ \t]*\r?\n(?P<body>.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M)
_UNCLOSED = re.compile(r"---[ \t]*\r?\n(?:(?![ \t\r]*+\n)[^\n]*+\n)*?symrnn[ \t]*:")


def front_matter(text: str, path: str) -> tuple[Mapping[str, Any], int]:
    """What the front matter of a document says to symrnn, and the offset after it; nothing and 0 where there is none.

    Errors: :class:`DocumentError` for front matter that is not closed or no YAML, and where `symrnn` is no mapping.
    """
    found = _FRONT.match(text)
    if found is None:
        if _UNCLOSED.match(text):
            raise DocumentError("front matter", must="end in a line ---", came="the end of the document", where=Place(path, 1, 1),
                                next_step="Add a line --- after the declarations.")
        return MappingProxyType({}), 0
    data = read_yaml(found["body"], "front matter", Place(path, 2, 1), key="symrnn")
    data = {} if data is None else data
    if not isinstance(data, Mapping):
        raise DocumentError("front matter", must="have a mapping under the key symrnn", came=type(data).__name__,
                            where=Place(path, 1, 1), next_step="Write for example `symrnn: {time: sub}`.")
    return MappingProxyType({str(k): v for k, v in data.items()}), found.end()


def end_of_front_matter(text: str) -> int:
    """Where the front matter of a text ends; 0 where it has none."""
    found = _FRONT.match(text)
    return 0 if found is None else found.end()


def read_yaml(text: str, subject: str, where: Place, key: str | None = None) -> Any:
    """The value of a YAML text that begins at `where`; with `key` the value of that key of its mapping, None without it.

    Errors: :class:`DocumentError` for what is no YAML, has a key twice, or is larger than :data:`NODE_LIMIT`.

    >>> read_yaml("{a: [1, x]}", "an example", Place("notes.md", 1, 1))
    {'a': [1, 'x']}
    """
    loader: yaml.SafeLoader | None = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if key is not None:
            pairs = node.value if isinstance(node, yaml.MappingNode) else []
            node = next((value for name, value in pairs if name.value == key), None)
        if node is None:
            return None
        _check(node)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        came = getattr(error, "problem", None) or getattr(error, "reason", None) or "something else"
        line, column = (mark.line, mark.column) if mark is not None else _line_of(text, getattr(error, "position", 0))
        raise DocumentError(subject, must="be YAML", came=str(came), where=_moved(where, line, column),
                            next_step="Quote values that hold braces or colons.") from None
    except (ValueError, RecursionError) as error:
        came = "nesting without end" if isinstance(error, RecursionError) else str(error)
        raise DocumentError(subject, must="hold plain values", came=came, where=where,
                            next_step="Quote dates and numbers that are meant as text.") from None
    finally:
        if loader is not None:
            loader.dispose()


def _check(root: yaml.Node) -> None:
    """Raise for a key that stands twice in one mapping, and for values that are too many or nested too deeply."""
    count, waiting = 0, [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > NODE_LIMIT or depth > DEPTH_LIMIT:
            raise yaml.MarkedYAMLError(problem="values that are too many or nested too deeply", problem_mark=root.start_mark)
        if node.tag == "tag:yaml.org,2002:int" and len(node.value) > DIGIT_LIMIT:
            raise yaml.MarkedYAMLError(problem=f"a number of more than {DIGIT_LIMIT} digits", problem_mark=node.start_mark)
        if isinstance(node, yaml.SequenceNode):
            waiting += [(child, depth + 1) for child in node.value]
        elif isinstance(node, yaml.MappingNode):
            seen: set[Any] = set()
            for name, value in node.value:
                if isinstance(name, yaml.ScalarNode) and name.value in seen:
                    raise yaml.MarkedYAMLError(problem=f"the key {name.value} a second time", problem_mark=name.start_mark)
                seen.add(name.value if isinstance(name, yaml.ScalarNode) else None)
                waiting += [(name, depth + 1), (value, depth + 1)]


def _line_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 0."""
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def _moved(where: Place, line: int, column: int) -> Place:
    """The place `line` lines below a place, in a column counted from 0; in a text of one line, so many columns to the right."""
    first = where.line or 1
    start = (where.column or 1) if line == 0 else 1
    return Place(where.path, first + line, start + column) if where.column is not None else Place(where.path, first + line)
