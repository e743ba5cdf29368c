"""Other programs' formats: what is written reads back equal, here and there; what is broken is refused in its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import FormatError
from arcwise.graph import Dag
from arcwise.model import (
    NETWORK_FORMATS,
    BayesianNetwork,
    format_network,
    network_format,
    parse_network,
    read_bif,
    read_network,
    write_network,
)

from .conftest import random_networks

OTHERS = ("xmlbif", "net", "xdsl", "uai")
REPOSITORY = (
    "alarm",
    "andes",
    "asia",
    "barley",
    "cancer",
    "child",
    "diabetes",
    "earthquake",
    "hailfinder",
    "hepar2",
    "insurance",
    "link",
    "mildew",
    "munin1",
    "pathfinder",
    "pigs",
    "sachs",
    "survey",
    "water",
    "win95pts",
)
# `make interchange` takes every network in every format, half an hour; other libraries need minutes for those with half
# a million numbers.
WHOLE = os.environ.get("ARCWISE_INTERCHANGE") == "all"
HUGE = () if WHOLE else ("barley", "diabetes", "mildew")
LARGE = () if WHOLE else (*HUGE, "link", "munin1", "andes", "pigs", "pathfinder", "water")
FOR_PGMPY = REPOSITORY if WHOLE else ("asia", "cancer", "survey", "sachs", "child", "alarm")


def copy(network: BayesianNetwork, kind: str) -> BayesianNetwork:
    return parse_network(format_network(network, kind).encode(), kind)


@pytest.mark.parametrize("kind", NETWORK_FORMATS)
@given(network=random_networks(names=st.text(min_size=1, max_size=6)))
def test_what_is_written_reads_back_equal_or_is_refused(kind: str, network: BayesianNetwork) -> None:
    try:
        text = format_network(network, kind).encode()
    except (FormatError, UnicodeEncodeError):
        words = [*network.names, *(state for states in network.states for state in states)]
        assert any("\ud800" <= letter <= "\udfff" for word in words for letter in word)
        return
    assert parse_network(text, kind) == network


@pytest.mark.parametrize("kind", OTHERS)
def test_names_that_a_format_cannot_hold_are_kept_beside_it(kind: str) -> None:
    names = ["a b", "a_b", 'x"\\%{}', " blank ", "node", "é", "#1", "\x01\r\n", "]]>&amp;"]
    states = [[f"{name}0", " ", "-1.5", '"', "\t"] for name in names]
    tables = [np.full((1, 5), 0.2) for _ in names]
    network = BayesianNetwork(Dag(names, [()] * len(names)), states, tables)
    assert copy(network, kind) == network


@pytest.mark.parametrize("kind", OTHERS)
def test_undefined_rows_are_refused(kind: str, tmp_path: Path) -> None:
    network = BayesianNetwork(Dag(["a"], [()]), [["x", "y"]], [[[np.nan, np.nan]]])
    path = tmp_path / f"network{NETWORK_FORMATS[kind].suffixes[0]}"
    with pytest.raises(FormatError, match=r"cannot write .*undefined rows, and the table of 'a' has 1"):
        write_network(network, path)
    assert not path.exists()


@pytest.mark.parametrize("suffix", [suffix for form in NETWORK_FORMATS.values() for suffix in form.suffixes])
def test_the_name_says_the_format(sprinkler: BayesianNetwork, tmp_path: Path, suffix: str) -> None:
    for path in (tmp_path / f"a{suffix}", tmp_path / f"b{suffix.upper()}", tmp_path / f"c{suffix}.gz"):
        sprinkler.write(path)
        assert read_network(path) == BayesianNetwork.read(path) == sprinkler
    with pytest.raises(FormatError, match=r"network\.csv: the suffix does not say .* known are \.bif, \.xmlbif"):
        sprinkler.write(tmp_path / "network.csv")
    assert network_format("x.csv") is None


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in OTHERS for name in REPOSITORY if kind == "net" or name not in HUGE],
)
def test_the_networks_of_the_repository(networks: Path, kind: str, name: str) -> None:
    network = read_bif(networks / f"{name}.bif.gz")
    assert copy(network, kind) == network


# ---- Other libraries. What they write is read, and what is written they read.


def identified(network: BayesianNetwork) -> BayesianNetwork:
    """The network with names that every library takes."""
    names = [f"v{v}" for v in range(network.n_variables)]
    states = [[f"s{k}" for k in range(len(own))] for own in network.states]
    return BayesianNetwork(Dag(names, network.dag.parents), states, network.tables)


def same(network: BayesianNetwork, other: BayesianNetwork, tolerance: float) -> bool:
    """Whether two networks are the same whatever the order of their variables."""
    if set(network.dag.arcs) != set(other.dag.arcs) or set(network.names) != set(other.names):
        return False
    for name in network.names:
        axes = [*other.parents(name), name]
        table = other.table(name).transpose([axes.index(axis) for axis in (*network.parents(name), name)])
        if network.states[network.index(name)] != other.states[other.index(name)]:
            return False
        if not np.allclose(network.table(name), table, rtol=0, atol=tolerance):
            return False
    return True


def repository_network(networks: Path, name: str) -> BayesianNetwork:
    return identified(read_bif(networks / f"{name}.bif.gz").normalized())


@pytest.mark.filterwarnings("ignore")
class TestPgmpy:
    @pytest.fixture(autouse=True)
    def _needs_pgmpy(self) -> None:
        pytest.importorskip("pgmpy.readwrite", reason="pgmpy is an optional peer: pip install 'arcwise[peers]'")

    @pytest.mark.parametrize("kind", ["bif", "xmlbif", "net", "xdsl"])
    @pytest.mark.parametrize("name", FOR_PGMPY)
    def test_both_ways(self, networks: Path, tmp_path: Path, kind: str, name: str) -> None:
        import pgmpy.readwrite as theirs

        network = repository_network(networks, name)
        path = tmp_path / f"ours.{kind}"
        network.write(path)
        reader, writer = {
            "bif": (theirs.BIFReader, "BIFWriter"),
            "xmlbif": (theirs.XMLBIFReader, "XMLBIFWriter"),
            "net": (theirs.NETReader, "NETWriter"),
            "xdsl": (theirs.XDSLReader, "XDSLWriter"),
        }[kind]
        model = reader(str(path)).get_model()
        assert same(network, BayesianNetwork.from_pgmpy(model), 1e-12)
        back = tmp_path / f"theirs.{kind}"
        made: Any = getattr(theirs, writer)(model)
        write = next(getattr(made, name) for name in ("write", f"write_{kind}") if hasattr(made, name))
        write(str(back))
        assert same(network, read_network(back), 1e-6)  # its NET has eight digits

    def test_uai_of_pgmpy_has_another_order(self, networks: Path, tmp_path: Path) -> None:
        """The child varies fastest; pgmpy 1.1 takes it for the slowest. When this fails, say so in files.md."""
        import pgmpy.readwrite as theirs

        network = repository_network(networks, "cancer")
        network.write(tmp_path / "ours.uai")
        model = theirs.UAIReader(str(tmp_path / "ours.uai")).get_model()
        for v, table in enumerate(network.tables):
            values = model.get_cpds(f"var_{v}").get_values()
            assert np.allclose(values.ravel(), table.ravel())
            if network.dag.parents[v]:
                assert not np.allclose(values.T, table)


@pytest.mark.filterwarnings("ignore")
class TestPyAgrum:
    @pytest.fixture(autouse=True)
    def _needs_pyagrum(self) -> None:
        pytest.importorskip("pyagrum", reason="pyAgrum is an optional peer: pip install 'arcwise[peers]'")

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            (kind, name)
            for kind in ("bif", "bifxml", "net", "xdsl", "uai")
            for name in REPOSITORY
            if name not in (HUGE if kind == "net" else LARGE)  # of the large ones, one format
        ],
    )
    def test_both_ways(self, networks: Path, tmp_path: Path, kind: str, name: str) -> None:
        import pyagrum

        network = repository_network(networks, name)
        path, back = tmp_path / f"ours.{kind}", tmp_path / f"theirs.{kind}"
        network.write(path)
        model = pyagrum.loadBN(str(path))
        pyagrum.saveBN(model, str(back))
        found = BayesianNetwork.from_pyagrum(model)
        if kind == "uai":
            found = BayesianNetwork(Dag(network.names, found.dag.parents), network.states, found.tables)
            network.write(tmp_path / "names.uai")
            lines = (tmp_path / "names.uai").read_text().splitlines()
            back.write_text(back.read_text() + "\n" + lines[-1] + "\n")
        if kind in ("xdsl", "uai"):
            # pyAgrum 3.3 takes the first parent for the fastest, not the last; when this fails, say so in files.md.
            found = with_parents_reversed(in_order(found, network.names))
        assert same(network, found, 1e-6)
        if kind in ("bif", "bifxml", "net"):
            assert same(network, read_network(back), 1e-6)

    def test_objects_both_ways(self, networks: Path) -> None:
        for name in ("asia", "alarm", "hailfinder"):
            network = read_bif(networks / f"{name}.bif.gz").normalized()
            model = network.to_pyagrum()
            assert BayesianNetwork.from_pyagrum(model).is_close(network)
        import pyagrum

        made = pyagrum.fastBN("a{x|y}->c[3]<-b[2]")
        found = BayesianNetwork.from_pyagrum(made)
        target = pyagrum.LazyPropagation(made)
        assert np.allclose(
            found.query("c", {"a": "y"}).probabilities, pyagrum.getPosterior(made, target="c", evs={"a": "y"}).tolist()
        )
        del target

    def test_what_pyagrum_cannot_hold_is_refused(self) -> None:
        from arcwise.errors import OptionError

        network = BayesianNetwork(Dag(["a"], [()]), [["x", "y"]], [[[np.nan, np.nan]]])
        with pytest.raises(OptionError, match="pyAgrum has no undefined entries"):
            network.to_pyagrum()


def in_order(network: BayesianNetwork, names: tuple[str, ...]) -> BayesianNetwork:
    """The network with its variables in another order."""
    dag = network.dag.reorder(names)
    tables = []
    for name in names:
        axes = [*network.parents(name), name]
        tables.append(network.table(name).transpose([axes.index(axis) for axis in (*dag.parents_of(name), name)]))
    return BayesianNetwork(dag, [network.states[network.index(name)] for name in names], tables)


def with_parents_reversed(network: BayesianNetwork) -> BayesianNetwork:
    """What a reader meant that took the first parent for the fastest."""
    tables = []
    for v, parents in enumerate(network.dag.parents):
        sizes = [len(network.states[p]) for p in parents]
        flat = network.table(network.names[v]).transpose([*reversed(range(len(sizes))), len(sizes)]).ravel()
        tables.append(flat.reshape(-1, len(network.states[v])))
    return BayesianNetwork(network.dag, network.states, tables)


# ---- What is refused, and where

NET = "net\n{\n}\nnode a\n{\n  states = (x y);\n}\n"
XML = '<BIF VERSION="0.3"><NETWORK>\n'
XML += '<VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>\n'
SMILE = '<smile version="1.0" id="n"><nodes>\n<cpt id="a"><state id="x"/><state id="y"/>\n'
REFUSED: dict[str, tuple[str, str, str]] = {
    "an entity": ("xmlbif", '<!DOCTYPE BIF [<!ENTITY a "b">]>' + XML, "line 1: entities are not read"),
    "an outside entity": (
        "xdsl",
        '<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]><smile/>',
        "entities are not read",
    ),
    "long defaults": ("xmlbif", f'<!DOCTYPE BIF [<!ATTLIST X a CDATA "{"y" * 300}">]><BIF/>', "default values"),
    "deep XML": ("xmlbif", "<BIF>" + "<a>" * 100, "more than 64 elements"),
    "an encoding that nobody knows": ("xmlbif", '<?xml version="1.0" encoding="zz"?><BIF/>', "unknown encoding"),
    "half a file": ("xmlbif", XML, "line 3, column 1: no element found"),
    "another root": ("xmlbif", "<graphml/>", "has the elements BIF and NETWORK; this one begins <graphml>"),
    "no table": ("xmlbif", XML + "</NETWORK></BIF>", "line 2: the variable 'a' has no table"),
    "a wrong number": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR>\n<TABLE>0.5 1_0</TABLE></DEFINITION></NETWORK></BIF>",
        "line 4: '1_0' is not a number",
    ),
    "numbers that are none": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR><TABLE>nan nan</TABLE></DEFINITION></NETWORK></BIF>",
        "'nan' is not a number",
    ),
    "too many numbers": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR><TABLE>0.5 0.25 0.25</TABLE></DEFINITION></NETWORK></BIF>",
        "line 3: the table of 'a' has 3 numbers; it needs 2",
    ),
    "a sum": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR><TABLE>0.5 0.25</TABLE></DEFINITION></NETWORK></BIF>",
        "row 1, sums to 0.75",
    ),
    "an unknown parent": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR><GIVEN>b</GIVEN><TABLE>0.5 0.5</TABLE></DEFINITION></NETWORK></BIF>",
        "the variable 'b' is not declared",
    ),
    "its own parent": (
        "xmlbif",
        XML + "<DEFINITION><FOR>a</FOR><GIVEN>a</GIVEN><TABLE>1 0 1 0</TABLE></DEFINITION></NETWORK></BIF>",
        "'a' cannot be its own parent",
    ),
    "a decision": ("xmlbif", XML.replace("nature", "decision") + "</NETWORK></BIF>", "only chance nodes"),
    "a noisy max": (
        "xdsl",
        SMILE.replace("cpt", "noisymax") + "</noisymax></nodes></smile>",
        "of the kind 'noisymax' is not",
    ),
    "no probabilities": ("xdsl", SMILE + "</cpt></nodes></smile>", "line 2: the node 'a' has no probabilities"),
    "no id": ("xdsl", "<smile><nodes><cpt/></nodes></smile>", "an element 'cpt' has no attribute 'id'"),
    "a dynamic network": ("xdsl", SMILE + "</cpt></nodes><dynamic/></smile>", "a dynamic network is not read"),
    "a bad property": (
        "xdsl",
        SMILE + '<property id="arcwise_names">{"name": "q", "states": ["u"]}</property></cpt></nodes></smile>',
        "names 1 states of 'q'; it has 2",
    ),
    "a class": ("net", "class A { }", "an object-oriented network"),
    "a continuous node": ("net", NET + "continuous node b { }", "a continuous node is not read"),
    "a string without end": ("net", 'net { name = "x', "line 1, column 14: a string that does not end"),
    "a value without end": ("net", "net { name = x }", "the value of name does not end"),
    "data without end": ("net", NET + "potential (a) { data = (0.5 0.5)", "the value of data does not end"),
    "brackets": ("net", NET + "potential (a) { data = ((0.5 0.5); }", "brackets of data do not match"),
    "no data": ("net", NET + "potential (a) { }", "line 8, column 12: the potential of 'a' has no data"),
    "an expression": ("net", NET + "potential (a) { model_nodes = (); }", "is an expression"),
    "two at once": ("net", NET + "potential (a b) { data = (1 0); }", "is for one node; this one is for 2"),
    "twice the same": ("net", NET + "potential (a) { data = (1 0); }potential (a) { data = (1 0); }", "has two tables"),
    "a state twice": ("net", "node a { states = (x x); }", "has the state 'x' twice"),
    "a Markov network": ("uai", "MARKOV\n1\n2\n1\n1 0\n2\n0.5 0.5\n", "line 1: expected BAYES, found 'MARKOV'"),
    "a short file": ("uai", "BAYES\n3\n2 2\n", "3 numbers should follow; the file has 2 more"),
    "as many states as there are numbers": ("uai", "BAYES 1 99999999999999 1 1 0 2 0.5 0.5", "variable 0 has 99,999"),
    "as many variables": ("uai", "BAYES 999999999999999", "numbers should follow"),
    "no function": ("uai", "BAYES 1 2 0", "1 variables, but 0 functions"),
    "a variable that is none": ("uai", "BAYES 1 2 1 1 7 2 0.5 0.5", "a variable is 7; it must be 0 to 0"),
    "two for one": ("uai", "BAYES 2 2 2 2 1 0 1 0 2 0.5 0.5 2 0.5 0.5", "variable 1 has 2 states, but no function"),
    "more after the end": ("uai", "BAYES 1 2 1 1 0 2 0.5 0.5 0.5", "more after the last function"),
    "names that do not fit": ("uai", 'BAYES 1 2 1 1 0 2 0.5 0.5\n# arcwise {"names": [], "states": []}', "do not fit"),
    "names that are none": ("uai", "BAYES 1 2 1 1 0 2 0.5 0.5\n# arcwise 7", "must be lists of texts"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_broken_file_is_refused_in_its_place(what: str, tmp_path: Path) -> None:
    kind, text, message = REFUSED[what]
    path = tmp_path / f"broken{NETWORK_FORMATS[kind].suffixes[0]}"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_network(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_what_other_programs_write_in_their_own_way() -> None:
    net = parse_network(
        b'% Hugin\nnet { node_size = (50 50); HR_Font = "a;b"; }\n'
        b'discrete node b { label = "B"; states = ("1" "2" "3"); }\n'
        b"node a { states = (no yes); }\n"
        b"potential (a | b) { data = (( 0.5 0.5 ) % b=1; not this\n ( .25 0.75 ) (1 0e0)); }\n"
        b"potential (b |) { data = (0.2,0.3,0.5); }",
        "net",
    )
    assert net.names == ("b", "a")
    assert net.table("a").tolist() == [[0.5, 0.5], [0.25, 0.75], [1, 0]]
    smile = parse_network(
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<smile version="1.0" id="n"><nodes>'
        b'<cpt id="a"><state id="x"/><state id="y"/><probabilities>0.3 0.7</probabilities></cpt>'
        b'<cpt id="b"><state id="x"/><state id="y"/><state id="z"/><probabilities>1 0 0</probabilities></cpt>'
        b'<deterministic id="c"><state id="u"/><state id="v"/><parents>b a</parents>'
        b"<resultingstates>u v v u u u</resultingstates></deterministic></nodes></smile>",
        "xdsl",
    )
    assert smile.table("c")[:, :, 1].tolist() == [
        [0, 1, 0],
        [1, 0, 0],
    ]  # a, then b: the file had them the other way round
    dtd = '<!DOCTYPE BIF [<!ELEMENT BIF (NETWORK)*><!ATTLIST BIF VERSION CDATA #REQUIRED>\n<!ATTLIST V T (a|b) "a">]>\n'
    xml = (
        dtd
        + XML
        + "<DEFINITION><FOR> a </FOR><TABLE><!-- x -->0.5\n 0.5<!-- y --></TABLE></DEFINITION></NETWORK></BIF>"
    )
    assert parse_network(xml.encode(), "xmlbif").tables[0].tolist() == [[0.5, 0.5]]
    uai = parse_network(b"bayes\n2\n2 3\n2\n1 0 # first\n2 0 1\n\n2\n 0.4 0.6\n\n6\n1 0 0\n0 0 1\n", "uai")
    assert uai.names == ("X0", "X1")
    assert uai.table("X1").tolist() == [[1, 0, 0], [0, 0, 1]]
