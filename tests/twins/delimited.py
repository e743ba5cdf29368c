"""The reader of delimited text in plain Python: what the native one is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field

from arcwise.data.formats import (
    FIELD_TOO_LONG,
    NUL_BYTE,
    RAGGED,
    TEXT_AFTER_QUOTE,
    UNCLOSED_QUOTE,
    Dialect,
)

__all__ = ["TwinTable", "read_delimited_twin"]

MAX_FIELD_BYTES = 2**20


@dataclass
class TwinTable:
    """The header, the rows with their lines, and what stopped the reader: (problem, line, field)."""

    header: list[bytes] = field(default_factory=list)
    rows: list[list[bytes]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    problem: tuple[int, int, int] | None = None


class _ProblemError(Exception):
    pass


def read_delimited_twin(text: bytes, dialect: Dialect, *, header: bool, line: int) -> TwinTable:
    """Read delimited text field by field."""
    return _Twin(text, dialect, line).read(header)


class _Twin:
    def __init__(self, text: bytes, dialect: Dialect, line: int) -> None:
        self.text, self.dialect, self.line, self.at = text, dialect, line, 0
        self.separator = dialect.separator.encode()
        self.spaces = b" \t".replace(self.separator, b"")
        self.stops = self.separator + b"\n\r\0"
        self.quotes = dialect.quotes.encode()
        self.field = 0

    def read(self, header: bool) -> TwinTable:
        table = TwinTable()
        width = 0
        try:
            if header and self.next_record():
                table.header = self.record()
                width = len(table.header)
            while self.next_record():
                start = self.line
                row = self.record()
                width = width or len(row)
                if len(row) != width:
                    raise _ProblemError(RAGGED, start, self.field)
                table.rows.append(row)
                table.lines.append(start)
        except _ProblemError as problem:
            table.problem = problem.args
        return table

    def here(self) -> bytes:
        return self.text[self.at : self.at + 1]

    def next_record(self) -> bool:
        """Skip blank lines and comments."""
        while True:
            end = self.at
            while self.text[end : end + 1] and self.text[end : end + 1] in self.spaces:
                end += 1
            first = self.text[end : end + 1]
            if not first:
                return False
            if first not in b"\n\r":
                if self.dialect.comment == "\0" or first != self.dialect.comment.encode():
                    self.field = 0
                    return True
                while self.text[end : end + 1] not in (b"\n", b"\r", b""):
                    end += 1
            self.at = end
            self.end_line()

    def end_line(self) -> None:
        if self.at < len(self.text):
            self.at += 2 if self.text[self.at : self.at + 2] == b"\r\n" else 1
            self.line += 1

    def record(self) -> list[bytes]:
        fields = [self.one_field()]
        while self.here() == self.separator:
            self.at += 1
            fields.append(self.one_field())
        self.end_line()
        return fields

    def skip_spaces(self) -> None:
        while self.here() and self.here() in self.spaces:
            self.at += 1

    def one_field(self) -> bytes:
        self.field += 1
        start = self.at
        self.skip_spaces()
        if self.here() and self.here() in self.quotes:
            return self.quoted_field().strip(b" \t\n\r")
        first = self.at
        while self.here() and self.here() not in self.stops:
            self.at += 1
        if self.here() == b"\0":
            raise _ProblemError(NUL_BYTE, self.line, self.field)
        if self.at - start > MAX_FIELD_BYTES:
            raise _ProblemError(FIELD_TOO_LONG, self.line, self.field)
        return self.text[first : self.at].rstrip(self.spaces)

    def quoted_field(self) -> bytes:
        opened, quote = self.line, self.here()
        self.at += 1
        content = b""
        while True:
            byte, after = self.here(), self.text[self.at + 1 : self.at + 2]
            if not byte:
                raise _ProblemError(UNCLOSED_QUOTE, opened, self.field)
            if len(content) > MAX_FIELD_BYTES:
                raise _ProblemError(FIELD_TOO_LONG, opened, self.field)
            if byte == b"\0" or (byte == b"\\" and self.dialect.backslash and after == b"\0"):
                raise _ProblemError(NUL_BYTE, self.line, self.field)
            if byte == b"\\" and self.dialect.backslash and after:
                content += after
                self.line += after == b"\n"
                self.at += 2
                continue
            if byte == quote:
                if not (self.dialect.doubled and after == quote):
                    break
                self.at += 1
            self.line += byte == b"\n" or (byte == b"\r" and after != b"\n")
            content += byte
            self.at += 1
        self.at += 1
        self.skip_spaces()
        if self.here() and self.here() not in self.separator + b"\n\r":
            raise _ProblemError(NUL_BYTE if self.here() == b"\0" else TEXT_AFTER_QUOTE, self.line, self.field)
        return content
