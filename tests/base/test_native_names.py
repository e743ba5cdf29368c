"""Two files of the native module never define the same name: the linker would keep one of them, and not say so.

A template or a class in a file that another file has under the same name, with another content, is undefined behaviour.
With inlining each file gets its own; without, one of them gets the other's: a destructor that frees other members.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("cpp/core/**/*.cpp"), *ROOT.glob("cpp/bindings/*.cpp")]
HEADERS = [*ROOT.glob("cpp/core/**/*.hpp"), *ROOT.glob("cpp/bindings/*.hpp")]
ANONYMOUS = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
# What the linker may merge without a word: templates, classes and inline functions (it complains of all else). A name
# with :: belongs to a class, whose header all share.
MERGED = re.compile(
    r"^template <[^\n]*>\n(?:[^\n(]*[ &*])?(\w+)\("
    r"|^(?:template <[^\n]*>\n)?(?:struct|class) (\w+)\b(?!::)"
    r"|^inline [^\n(]* (\w+)\(",
    re.MULTILINE,
)

# Functions of headers may be overloads of one name; classes may not.
CLASS = re.compile(r"^(?:struct|class|enum(?: class)?) (\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)


def merged_names(text: str) -> set[str]:
    return {"".join(names) for names in MERGED.findall(ANONYMOUS.sub("", text))}


def test_the_check_finds_what_it_is_for() -> None:
    made = "namespace arcwise {\ntemplate <class Code>\nvoid bind_for(int x) {\n}\nstruct Bound {\n};\n}\n"
    assert merged_names(made) == {"bind_for", "Bound"}
    assert merged_names(made.replace("namespace arcwise {", "namespace {") + "}  // namespace\n") == set()
    assert merged_names("template <class Code>\nvoid Sampler<Code>::run(int x) {\n}\n") == set()


def test_no_class_is_a_declaration_or_a_part_of_another() -> None:
    text = "class Seen;\nstruct Outer::Part {\n};\nstruct Row {\n};\nclass Last final : public First<int> {\n};\n"
    assert CLASS.findall(text + "enum Move : int { toggle };\n") == ["Row", "Last", "Move"]


@pytest.mark.skipif(not SOURCES, reason="the native sources are not beside the tests")
def test_no_two_native_files_define_the_same_name() -> None:
    owners: dict[str, list[str]] = {}
    for path in SOURCES:
        for name in merged_names(path.read_text()):
            owners.setdefault(name, []).append(str(path.relative_to(ROOT)))
    for path in HEADERS:
        for name in CLASS.findall(path.read_text()):
            owners.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(owners) > 150  # or nothing was read
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}
