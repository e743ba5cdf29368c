from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.twins.delimited import read_delimited_twin

from arcwise import _core
from arcwise.data.formats import RAGGED, Dialect

DIALECTS = [
    Dialect(),
    Dialect(separator="\t"),
    Dialect(separator=";"),
    Dialect(quotes="'\"", doubled=False, backslash=True, comment="%"),
]


def labels(blob: bytes, offsets: np.ndarray) -> list[bytes]:
    return [blob[a:b] for a, b in pairwise(offsets.tolist())]


@hypothesis_settings(max_examples=1000)
@given(
    st.binary(max_size=40) | st.text(st.sampled_from("ab,;\t \"'\n\r\\%\0é"), max_size=60).map(str.encode),
    st.sampled_from(DIALECTS),
    st.booleans(),
)
@example(b"a,b\r\n1,2\r\n", DIALECTS[0], True)
@example(b'a,"b\r\n\r"\n1,2', DIALECTS[0], True)
@example(b"%x\r\n'a\\\n',b", DIALECTS[3], False)
def test_native_reader_equals_the_twin(text: bytes, dialect: Dialect, header: bool) -> None:
    native = _core.data.read_delimited(
        np.frombuffer(text, dtype=np.uint8), separator=dialect.separator, quotes=dialect.quotes,
        doubled=dialect.doubled, backslash=dialect.backslash, comment=dialect.comment, header=header, line=1,
        seed=len(text), progress=None,
    )  # fmt: skip
    twin = read_delimited_twin(text, dialect, header=header, line=1)
    assert (native.problem or None) == (twin.problem and twin.problem[0])
    assert labels(*native.header())[: len(twin.header)] == twin.header
    if twin.problem is not None:
        assert native.line == twin.problem[1]
        assert twin.problem[0] == RAGGED or native.field == twin.problem[2]
        return
    assert native.rows == len(twin.rows)
    lines = native.lines().tolist() or list(range(native.first_line, native.first_line + native.rows))
    assert lines == twin.lines
    for v in range(native.n_columns):
        own = labels(*native.labels(v))
        assert [own[code] for code in native.take_codes(v)] == [row[v] for row in twin.rows]
        assert len(set(own)) == len(own)
