"""Two files of the native module never define the same name: the linker would keep one of them, and not say so.

A template or a class in a .cpp file that another .cpp file has under the same name, with another content, is undefined
behaviour. With inlining each file gets its own; without, one of them gets the other's.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("cpp/core/**/*.cpp"), *ROOT.glob("cpp/bindings/*.cpp")]
ANONYMOUS = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
# What the linker may merge without a word: templates, classes and inline functions (it complains of all else). A name
# with :: belongs to a class, whose header all share.
MERGED = re.compile(
    r"^template <[^\n]*>\n(?:[^\n(]*[ &*])?(\w+)\("
    r"|^(?:template <[^\n]*>\n)?(?:struct|class) (\w+)"
    r"|^inline [^\n(]* (\w+)\(",
    re.MULTILINE,
)


def merged_names(text: str) -> set[str]:
    return {"".join(names) for names in MERGED.findall(ANONYMOUS.sub("", text))}


def test_the_check_finds_what_it_is_for() -> None:
    made = "namespace arcwise {\ntemplate <class Code>\nvoid bind_for(int x) {\n}\nstruct Bound {\n};\n}\n"
    assert merged_names(made) == {"bind_for", "Bound"}
    assert merged_names(made.replace("namespace arcwise {", "namespace {") + "}  // namespace\n") == set()
    assert merged_names("template <class Code>\nvoid Sampler<Code>::run(int x) {\n}\n") == set()


@pytest.mark.skipif(not SOURCES, reason="the native sources are not beside the tests")
def test_no_two_native_files_define_the_same_name() -> None:
    owners: dict[str, list[str]] = {}
    for path in SOURCES:
        for name in merged_names(path.read_text()):
            owners.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(owners) > 3  # or nothing was read
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}


HEADERS = [*ROOT.glob("cpp/core/**/*.hpp"), *ROOT.glob("cpp/bindings/*.hpp")]
# A name with :: is a part of a class that another header declares.
DEFINED = re.compile(r"^(?:class|struct|enum(?: class)?) (\w+)(?!\w|::)[^;{\n]*\{", re.MULTILINE)


@pytest.mark.skipif(not HEADERS, reason="the native sources are not beside the tests")
def test_no_two_headers_define_the_same_type() -> None:
    """What is made inline of one of them, such as a destructor, would be used for the other, too."""
    owners: dict[str, list[str]] = {}
    for path in HEADERS:
        for name in DEFINED.findall(ANONYMOUS.sub("", path.read_text())):
            owners.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(owners) > 100  # or nothing was read
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}
