from __future__ import annotations

import gzip
import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.twins.bif import parse_bif_twin

from arcwise.errors import FormatError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, format_bif, parse_bif, read_bif, write_bif

from .conftest import random_networks

# name: nodes, arcs, free parameters, as the bnlearn repository has them.
PUBLISHED = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "barley": (48, 84, 114005),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "link": (724, 1125, 14211),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "munin1": (186, 273, 15622),
    "munin2": (1003, 1244, 69431),
    "munin3": (1041, 1306, 71059),
    "munin4": (1038, 1388, 80352),
    "pathfinder": (109, 195, 72079),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}

CANCER = """network unknown {
}
variable Pollution {
  type discrete [ 2 ] { low, high };
}
variable Smoker {
  type discrete [ 2 ] { True, False };
}
variable Cancer {
  type discrete [ 2 ] { True, False };
}
probability ( Pollution ) {
  table 0.9, 0.1;
}
probability ( Smoker ) {
  table 0.3, 0.7;
}
probability ( Cancer | Smoker, Pollution ) {
  (True, low) 0.03, 0.97;
  (True, high) 0.05, 0.95;
  (False, low) 0.001, 0.999;
  (False, high) 0.02, 0.98;
}
"""


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_network_reads_and_survives_a_round_trip(name: str, networks: Path, tmp_path: Path) -> None:
    if not (networks / f"{name}.bif.gz").exists():
        pytest.skip(f"NO REFERENCE DATA: {name} is not in {networks}; `make networks` downloads all")
    network = read_bif(networks / f"{name}.bif.gz")
    assert (network.n_variables, len(network.dag.arcs), network.n_free_parameters) == PUBLISHED[name]
    for suffix in ("bif", "bif.gz"):
        write_bif(network, tmp_path / f"copy.{suffix}")
        copy = read_bif(tmp_path / f"copy.{suffix}")
        assert copy.is_close(network, tolerance=1e-12)
        assert copy == network
    assert (tmp_path / "copy.bif.gz").read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize("name", ["alarm", "child", "hailfinder", "insurance", "sachs", "water", "win95pts"])
def test_the_native_reader_agrees_with_the_twin(name: str, networks: Path) -> None:
    text = gzip.decompress((networks / f"{name}.bif.gz").read_bytes()).decode()
    assert parse_bif(text) == parse_bif_twin(text)


@given(random_networks(undefined=True, names=st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)))
@example(BayesianNetwork(Dag(["//"], [()]), [["/*", '"', "\\", "\0", "a\nb", "é ü", "x;y", "a//b"]], [[[1] + [0] * 7]]))
def test_any_name_survives_a_round_trip(network: BayesianNetwork) -> None:
    assert parse_bif(format_bif(network)) == network


@given(random_networks())
def test_the_twin_reads_what_the_writer_writes(network: BayesianNetwork) -> None:
    text = format_bif(network)
    assert parse_bif_twin(text) == parse_bif(text) == network


def test_a_line_of_megabytes_is_read_like_any_other(networks: Path) -> None:
    path = networks / "diabetes.bif.gz"
    text = " ".join(gzip.decompress(path.read_bytes()).decode().split())
    assert "\n" not in text
    assert len(text) > 4_000_000
    assert parse_bif(text) == read_bif(path)


def test_rows_follow_the_parents_order_in_the_file() -> None:
    network = parse_bif(CANCER)
    assert network.parents("Cancer") == ("Pollution", "Smoker")
    np.testing.assert_array_equal(network.table("Cancer")[..., 0], [[0.03, 0.001], [0.05, 0.02]])


def test_numbers_are_kept_as_written_and_can_be_normalised() -> None:
    network = parse_bif(
        "variable a { type discrete [ 3 ] { x, y, z }; } probability ( a ) { table 0.333, 0.333, 0.333; }"
    )
    assert network.tables[0].tolist() == [[0.333] * 3]
    np.testing.assert_allclose(network.normalized().tables[0].sum(), 1, rtol=1e-15)


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble() -> None:
    assert parse_bif(b"\xef\xbb\xbf" + CANCER.replace("\n", "\r\n").encode()) == parse_bif(CANCER)


# what is replaced, by what, and the message with its place
MISTAKES = {
    "truncated": (
        "(False, high) 0.02, 0.98;\n}\n",
        "(False, high) 0.02, 0.",
        r"line 22, column 25: expected a probability or ';', found the end of the file \(is it truncated",
    ),
    "cut in a row": (
        " 0.02, 0.98;\n}\n",
        "",
        r"line 22, column 16: expected a probability.*end of the file \(is it trunc",
    ),
    "short table": ("table 0.3, 0.7", "table 1", r"line 16, column 3: the table of 'Smoker' has 1 numbers.*need 2"),
    "long row": ("0.05, 0.95", "0.05, 0.9, 0.05", r"line 20, column 3: this row of 'Cancer' has 3 numbers"),
    "sum": ("0.05, 0.95", "0.05, 0.85", r"line 20, column 3: this row of 'Cancer' sums to 0.9, not to 1 within 0.001"),
    "unknown parent": ("| Smoker,", "| Smoke,", r"line 18, column 24: unknown variable 'Smoke'"),
    "unknown state": (
        "(True, high)",
        "(Maybe, high)",
        r"line 20, column 4: unknown state 'Maybe' of 'Smoker'; .*'True', 'F",
    ),
    "cycle": (
        "( Smoker ) {\n  table",
        "( Smoker | Cancer ) {\n  default",
        r"line 15, column 15: .* cycle: 'Smoker' -> 'Cancer' -> 'Smoker'",
    ),
    "self": ("( Smoker )", "( Smoker | Smoker )", r"line 15, column 24: variable 'Smoker' is its own parent"),
    "twice a parent": (
        "| Smoker, Pollution",
        "| Smoker, Smoker",
        r"line 18, column 24: parent 'Smoker' is listed twice",
    ),
    "twice a variable": (
        "variable Smoker",
        "variable Pollution",
        r"line 6, .* 'Pollution' is declared twice; first on line 3",
    ),
    "twice a state": (
        "{ low, high }",
        "{ low, low }",
        r"line 4, column 30: variable 'Pollution' lists state 'low' twice",
    ),
    "twice a block": (
        "probability ( Smoker )",
        "probability ( Pollution )",
        r"line 15, .* second.*first is on line 12",
    ),
    "twice a row": ("(True, high)", "(True, low)", r"line 20, column 3: the row .* is given twice; first on line 19"),
    "twice a network": (
        "variable Smoker",
        "network x {}\nvariable Smoker",
        r"line 6, column 1: a second 'network' block",
    ),
    "missing row": ("  (False, low) 0.001, 0.999;\n", "", r"line 18, .* no row for \('False', 'low'\) \(3 of 4"),
    "missing block": (
        "probability ( Smoker ) {\n  table 0.3, 0.7;\n}\n",
        "",
        r"line 6, .* 'Smoker' has no 'probability'",
    ),
    "nan": ("0.9, 0.1", "nan, 0.1", r"line 13, column 9: a probability lies between 0 and 1, not 'nan'"),
    "inf": ("0.9, 0.1", "inf, 0.1", r"line 13, column 9: a probability lies between 0 and 1, not 'inf'"),
    "overflow": ("0.9, 0.1", "1e999, 0.1", r"line 13, column 9: the number '1e999' does not fit a double"),
    "negative": ("0.9, 0.1", "-0.1, 1.1", r"line 13, column 9: a probability lies between 0 and 1, not '-0.1'"),
    "no number": ("0.9, 0.1", "0.9, 0.1x", r"line 13, column 14: expected a probability, found '0.1x'"),
    "state count": (
        "[ 2 ] { low",
        "[ 99999999999999 ] { low",
        r"line 4, column 19: .* declares 99999999999999 states but lists 2",
    ),
    "huge count": (
        "[ 2 ] { low",
        "[ 99999999999999999999999 ] { low",
        r"line 4, column 19: the number of states must be",
    ),
    "continuous": (
        "type discrete [ 2 ] { low",
        "type continuous [ 2 ] { low",
        r"line 4, column 8: expected 'discrete'",
    ),
    "no type": ("  type discrete [ 2 ] { low, high };\n", "", r"line 4, column 1: variable 'Pollution' has no type"),
    "nested": (
        "network unknown {",
        "network unknown " + "{" * 100_000,
        r"line 1, column 18: expected 'property' or '}'",
    ),
    "deep": (
        "( Smoker )",
        "(" * 100_000 + " Smoker )",
        r"line 15, column 14: expected the name of a variable, found '\('",
    ),
    "NUL": ("low", "l\0w", r"line 4, column 26: a NUL byte"),
    "control": ("low", "l\1w", r"line 4, column 26: control character '\\x01'"),
    "open quote": ("{ low, high }", '{ "low, high }', r"line 4, column 25: this name has no closing quote"),
    "open comment": ("{ low, high }", "{ /* low, high }", r"line 4, column 25: this comment has no closing"),
    "bad escape": ("{ low, high }", r'{ "l\ow", high }', r"line 4, column 27: unknown escape"),
    "empty state": ("{ low, high }", '{ "", high }', r"line 4, column 25: a state of 'Pollution' has an empty name"),
    "empty name": ("variable Smoker", 'variable ""', r"line 6, column 10: a variable's name is empty"),
    "no file at all": (CANCER, "", r"line 1, column 1: the file declares no variable"),
    "another format": (CANCER, "<?xml version='1.0'?>", r"line 1, column 1: expected 'network', 'variable' or"),
    "long line": (
        "Smoker ) {",
        "Smoker ) {" + " " * 2_000_000 + "x",
        r"line 15, column 2000025: expected '\(', 'table'",
    ),
    "long word": ("table 0.3", "table " + "9" * 2_000_000, r"line 16, column 9: the number '9{40}...' does not fit"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_has_a_message_with_line_and_column(kind: str, tmp_path: Path) -> None:
    old, new, message = MISTAKES[kind]
    assert old in CANCER
    path = tmp_path / "broken.bif"
    path.write_text(CANCER.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        read_bif(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert re.search(message, str(caught.value)), str(caught.value)
    assert len(str(caught.value)) < 500 + len(str(path))


def test_what_is_not_utf8_or_not_gzip_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 1, column 13: byte 0xff is not UTF-8"):
        parse_bif("variable é ".encode() + b"b\xff")
    (tmp_path / "cut.bif.gz").write_bytes(gzip.compress(CANCER.encode())[:-20])
    with pytest.raises(FormatError, match="damaged gzip"):
        read_bif(tmp_path / "cut.bif.gz")
    with pytest.raises(FormatError, match="cannot read"):
        read_bif(tmp_path / "absent.bif")


def test_a_short_file_cannot_ask_for_a_huge_table() -> None:
    variables = [f"v{i}" for i in range(60)]
    text = "".join(f"variable {v} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for v in [*variables, "x"])
    text += "".join(f"probability ( {v} ) {{ table 0.5, 0.5; }}\n" for v in variables)
    text += f"probability ( x | {', '.join(variables)} ) {{ default 0.5, 0.5; }}"
    with pytest.raises(FormatError, match="line 122, column 15: with the table of 'x' given its 60 parents"):
        parse_bif(text)


def test_many_parents_of_one_state_take_no_quadratic_time() -> None:
    n = 20_000
    variables = [f"v{i}" for i in range(n)]
    text = "".join(f"variable {v} {{ type discrete [ 1 ] {{ a }}; }}\n" for v in [*variables, "x"])
    text += "".join(f"probability ( {v} ) {{ table 1; }}\n" for v in variables)
    text += f"probability ( x | {', '.join(reversed(variables))} ) {{ ({', '.join('a' * n)}) 1; }}"
    start = time.process_time()
    assert parse_bif(text).parents("x") == tuple(variables)
    assert time.process_time() - start < 20  # a hundredfold of what it takes; quadratic time would be minutes


@settings(max_examples=300)
@given(st.data())
def test_a_mutated_file_parses_or_is_a_format_error(data: st.DataObject) -> None:
    text = CANCER.encode()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        piece = data.draw(
            st.sampled_from(
                [b"{", b"}", b"(", b")", b";", b",", b'"', b"|", b"[", b"\\", b"//", b"/*", b"0", b"-", b"nan"]
            )
            | st.binary(max_size=4)
            | st.integers(0, len(CANCER) - 1).map(lambda i: CANCER[i : i + 40].encode())
        )
        text = text[:start] + piece + text[end:]
    try:
        network = parse_bif(text)
    except FormatError as error:
        assert re.match(r"<text>[:,] line \d+, column \d+: ", str(error))
    else:
        # What parses is a network that the constructor accepts too.
        assert BayesianNetwork(network.dag, network.states, network.tables) == network
        assert parse_bif(format_bif(network)) == network
