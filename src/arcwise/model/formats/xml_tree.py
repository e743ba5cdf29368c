"""`parse_xml`: the elements of an XML file from anywhere, with limits.

Entities are refused, so that none can grow without bound or name a file, and nothing outside the file is ever fetched.
A document type is skipped, since XMLBIF files begin with one; the attributes for which it gives default values, which
an XML reader adds to every element, are limited in number and length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from arcwise.errors import FormatError

__all__ = ["Element", "parse_xml"]

MOST_DEPTH = 64
MOST_DEFAULTS = 64
LONGEST_DEFAULT = 256


@dataclass(slots=True)
class Element:
    """An element: its tag without namespace, attributes, children, the line where it begins, and its own text."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside the element."""
        return "".join(self.texts)

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children with a tag, in any case of letters."""
        return (child for child in self.children if child.tag.lower() == tag.lower())

    def first(self, tag: str) -> Element | None:
        """Return the first child with a tag, or None."""
        return next(self.named(tag), None)


def parse_xml(content: bytes, source: str) -> Element:
    """Return the root element; what is not XML, or asks for more than it may, is a FormatError with its line."""
    return _TreeReader(source).read(content)


class _TreeReader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._root: Element | None = None
        self._open: list[Element] = []
        self._defaults = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.AttlistDeclHandler = self._check_default

    def read(self, content: bytes) -> Element:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            raise FormatError(
                f"{self._source}, line {error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}."
            ) from None
        except (ValueError, LookupError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{self._source}: {error}.") from None  # an encoding that nobody knows
        assert self._root is not None
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag.rpartition(":")[2], attributes, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        if len(self._open) > MOST_DEPTH:
            raise self._error(f"more than {MOST_DEPTH} elements inside each other")

    def _end(self, _: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].texts.append(text)

    def _refuse_entity(self, *_: object) -> None:
        raise self._error("entities are not read. Remove the lines <!ENTITY ...>")

    def _check_default(self, element: str, attribute: str, kind: str, default: str | None, required: int) -> None:
        del element, attribute, kind, required
        self._defaults += default is not None
        if self._defaults > MOST_DEFAULTS or (default is not None and len(default) > LONGEST_DEFAULT):
            raise self._error(
                "a document type with so many or so long default values is not read. Remove <!ATTLIST ...>"
            )

    def _error(self, message: str) -> FormatError:
        return FormatError(f"{self._source}, line {self._parser.CurrentLineNumber}: {message}.")
