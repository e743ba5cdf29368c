"""Make what the pages take from the code: tables of scores and names, help texts, and the outputs of examples.

    python docs/update.py                   # the names and keywords for type checkers, src/arcwise/**/*.pyi, and the
                                            # parts of pages between <!-- begin ... --> and <!-- end -->
    python docs/update.py --outputs [PAGE]  # also the `text` blocks after `python` blocks, by running all pages, or one

The build of the pages makes each `<!-- built WHAT -->`, which is not kept in the repository. The tests compare the rest
with what this script would write.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcwise.scores.score import Facts

DOCS = Path(__file__).resolve().parent

BUILT = re.compile(r"^<!-- built (?P<what>[a-z0-9 =:,._-]+) -->$", re.MULTILINE)
GENERATED = re.compile(r"(<!-- begin (?P<what>[a-z0-9 =:,._-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)
EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?P<between>(?:(?!^```).)*)(?:^```text\n(?P<printed>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)

# Constants have no docstring of their own.
CONSTANTS = {
    "arcwise.ensemble.BAYES_FACTORS": "Names of Bayes factors: up to which factor evidence is called by each.",
    "arcwise.confidence.RULES": "The threshold rules by name.",
    "arcwise.graph.GRAPH_FORMATS": "The formats that `read_graph` reads, and their suffixes.",
    "arcwise.model.NETWORK_FORMATS": "The formats of networks with tables by name: suffixes, reader, writer.",
    "arcwise.model.ESTIMATORS": "The estimators of parameters by name, each with its parameters.",
    "arcwise.scores.MIXED_SCORES": "The scores of `MixedData` by name; they take numbers and categories as they are.",
    "arcwise.scores.SCORES": "The scores by name; each class has its `FACTS` and `parameters`.",
    "arcwise.ensemble.SOURCES": "The sources of networks by name, those of other packages among them.",
    "arcwise_studies.EXPERIMENTS": "The experiments by name, and where their classes are.",
    "arcwise.exact.METHODS": "The methods that `find_optimal` takes.",
    "arcwise.exact.PROOF_TOLERANCE": "How far scores may differ and still be equal in a proof (natural log).",
}

PACKAGE = DOCS.parent / "src" / "arcwise"
# What has public names: rooms that offer them, and the modules beside the rooms that are stages for users.
STAGES = [
    *sorted(path.parent.name for path in PACKAGE.glob("[!_]*/__init__.py") if "import" in path.read_text("utf-8")),
    *("counts", "datasets", "ensemble", "arcwise_studies"),
]


def _limits(facts: Facts) -> str:
    """Say how many parents a variable may have where networks are averaged."""
    if not facts.parent_limits:
        return "any"
    told = [f"{limit} from {cases:,} cases on" if cases else f"{limit}" for _, cases, limit in facts.parent_limits]
    return f"at most {', '.join(told)}"


def score_table() -> str:
    """Return all scores with their facts, as a Markdown table."""
    from arcwise.scores.registry import KNOWN_SCORES

    rows = [
        "| name | score | in words | parameters "
        "| equivalent | log Bayes factor | regular | prunes supersets | parents |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, kind in KNOWN_SCORES.items():
        facts = kind.FACTS
        parameters = ", ".join(f"`{p.name}` in {p.range}" for p in kind.parameters) or "none"
        yes = {True: "yes", False: "no", None: "not known"}
        cells = (
            *(f"`{name}`", facts.title, facts.in_words, parameters, yes[facts.equivalent], yes[facts.log_bayes_factor]),
            *(yes[facts.regular], yes[bool(facts.bound)]),
            _limits(facts),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def score_cases() -> str:
    """Return what N is in each score where variables were set, as a Markdown table."""
    from arcwise.scores.registry import KNOWN_SCORES

    rows = ["| score | where variables were set |", "|---|---|"]
    by_text: dict[str, list[str]] = {}
    for name, kind in KNOWN_SCORES.items():
        by_text.setdefault(kind.FACTS.number_of_cases, []).append(f"`{name}`")
    rows += [f"| {', '.join(names)} | {text} |" for text, names in by_text.items()]
    return "\n".join(rows) + "\n"


def score_references() -> str:
    """Return where each score comes from and why its bound holds, as a list."""
    from arcwise.scores.registry import KNOWN_SCORES

    lines = []
    for name, kind in KNOWN_SCORES.items():
        facts = kind.FACTS
        bound = f" Bound: {facts.bound.rstrip('.')}." if facts.bound else ""
        meanings = "".join(f" `{p.name}`: {p.meaning}." for p in kind.parameters)
        lines.append(f"- `{name}`: {facts.reference.rstrip('.')}.{meanings}{bound}")
    return "\n".join(lines) + "\n"


def score_works() -> str:
    """Return the works that the scores come from, as a list of references."""
    from arcwise.base.bibliography import list_works
    from arcwise.scores.registry import KNOWN_SCORES

    keys = (source.key for kind in KNOWN_SCORES.values() for source in kind.FACTS.sources)
    return "".join(f"- {work}\n" for work in list_works(keys))


def stage_names(stage: str) -> str:
    """Return the public names of a stage with one line each, as a Markdown table."""
    module = beside("api").module_of(stage)
    rows = [
        f"| `{name}` | {_summary(f'{module.__name__}.{name}', getattr(module, name))} |"
        for name in sorted(module.__all__, key=str.lower)
    ]
    return "\n".join(["| name | what it is |", "|---|---|", *rows]) + "\n"


def _summary(path: str, thing: Any) -> str:
    if path in CONSTANTS:
        return CONSTANTS[path]
    text = (inspect.getdoc(thing) or "") if inspect.isclass(thing) or inspect.isroutine(thing) else ""
    first = " ".join(text.split("\n\n", 1)[0].split())
    return first.replace("``", "`").replace("|", r"\|").replace("<", "&lt;")


def command_help() -> str:
    """Return the help text of the program and of each verb, 100 columns wide."""
    import typer

    from arcwise.cli.main import VERBS, _register_verbs, app
    from arcwise.cli.verb import EVERY

    _register_verbs()
    group: Any = typer.main.get_command(app)

    def blocks(command: Any, name: str, level: str) -> list[str]:
        context = type(group).context_class(command, info_name=name, terminal_width=100, max_content_width=100)
        context.meta[EVERY] = True
        own = f"{level} {name}\n\n```\n{command.get_help(context).rstrip()}\n```\n"
        inner = {} if command is group else getattr(command, "commands", {})
        return [own, *(part for verb in inner for part in blocks(inner[verb], f"{name} {verb}", level + "#"))]

    parts = blocks(group, "arcwise", "##")
    for verb in VERBS:
        parts += blocks(group.commands[verb], f"arcwise {verb}", "##")
    return "\n" + "\n".join(parts) + "\n"


def option_table(argument: str) -> str:
    """Return a table of options, "learn", as Markdown."""
    from arcwise.base.options import options_of
    from arcwise.findings.options import LearnOptions

    tables = {"learn": LearnOptions}
    rows = ["| option | in Python | values | default | what it is |", "|---|---|---|---|---|"]
    for item in options_of(tables[argument]):
        shown = {True: "yes", False: "no"}.get(item.default, item.default) if item.kind is bool else item.default
        default = item.usual or ("none" if shown in (None, ()) else f"{shown}")
        flags = ", ".join(f"`{flag}`" for flag in item.flags or (item.flag,))
        rows.append(f"| {flags} | `{item.name}` | {item.allowed} | {default} | {item.help} |")
    return "\n".join(rows) + "\n"


# What of a record the columns ask that edges.csv does not always have, and how to say so.
CONDITIONS = {
    "odds": "where there were prior odds: ",
    "regression": "where an edge is at a number: ",
    "sites": "where rows are from sites: ",
    "one_of": "where the networks swap edges for each other: ",
    "missed": "where numbers are as they are: ",
}


def edge_columns() -> str:
    """Return the columns of edges.csv, as a Markdown table."""
    from arcwise.findings.edge_record import EDGE_COLUMNS, EXPLANATION, Shown

    rows = ["| column | what it is |", "|---|---|"]
    for column in EDGE_COLUMNS:
        if Shown.CSV in column.shown:
            asked = column.file_if.__code__.co_names if column.file_if else ()
            where = "".join(CONDITIONS[name] for name in asked)
            rows.append(f"| `{column.name}` | {where}{column.meaning} |")
    rows.append("| one per other method and score | its confidence in the edge; empty where it was not computed |")
    rows.append(f"| `{EXPLANATION}` | the sentences of the report about the edge, for `arcwise explain` |")
    return "\n".join(rows) + "\n"


def summary_table(argument: str) -> str:
    """Return a table of a frozen study summary as Markdown: "STUDY TABLE", or some rows, "STUDY TABLE COLUMN=VALUE"."""
    import pandas as pd

    from arcwise_studies.summarize import markdown_table

    study, table, *conditions = argument.split()
    frame = pd.read_csv(DOCS.parent / "studies" / "summaries" / study / f"{table}.csv")
    for condition in conditions:
        column, _, values = condition.partition("=")
        kept = values.split(",")
        frame = frame[frame[column].astype(str).isin(kept)]
        if len(kept) == 1:
            frame = frame.drop(columns=column)
    return markdown_table(frame.reset_index(drop=True))


def generate(what: str) -> str:
    """Return the generated part of the given name."""
    kind, _, argument = what.partition(" ")
    makers = {
        "scores": score_table,
        "score-cases": score_cases,
        "score-references": score_references,
        "score-works": score_works,
        "commands": command_help,
        "edge-columns": edge_columns,
        "peers": peer_table,
        "exact-growth": lambda: beside("growth").exact_growth(),
        "learn-growth": lambda: beside("growth").learn_growth(),
    }
    papers = beside("papers") if kind in ("verdicts", "paper") else None
    with_argument = {
        "stage": stage,
        "options": option_table,
        "summary": summary_table,
        "verdicts": papers and papers.verdict_table,
        "paper": papers and papers.paper_table,
    }
    return with_argument[kind](argument) if kind in with_argument else makers[kind]()


def stage(name: str) -> str:
    """Return the public names of a stage with one line each, then each of them in full."""
    return f"{stage_names(name)}\n{beside('api').stage_reference(name)}"


def with_built_parts(text: str) -> str:
    """Return a page with what the build makes."""
    return BUILT.sub(lambda match: generate(match["what"]), text)


def regenerated(text: str) -> str:
    """Return a page with its generated parts made again."""
    return GENERATED.sub(lambda match: match[1] + generate(match["what"]) + match[4], text)


def with_outputs(text: str, page: Path) -> str:
    """Return a page with the outputs of its examples made again; an output that still fits, with `...`, stays."""
    namespace: dict[str, object] = {"__name__": "page"}

    def run(match: re.Match[str]) -> str:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(match["code"], str(page), "exec"), namespace)
        if match["printed"] is None:
            return match[0]
        pattern = re.escape(match["printed"].strip()).replace(re.escape("..."), ".*?")
        fits = re.fullmatch(pattern, output.getvalue().strip(), re.DOTALL)
        printed = match["printed"] if fits else "\n".join(x.rstrip() for x in output.getvalue().splitlines()) + "\n"
        return f"```python\n{match['code']}```{match['between']}```text\n{printed}```"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return EXAMPLE.sub(run, text)


def tutorial_notebook() -> str:
    """Return the tutorial as a notebook."""
    made: str = beside("notebook").notebook_of((DOCS / "tutorial.md").read_text(encoding="utf-8"))
    return made


def package_stub() -> str:
    """Return what type checkers see of the package, which imports its names on first use."""
    import arcwise

    named = {name: getattr(arcwise, name).__module__ for name in arcwise._STAGE}
    return _stub(dict.fromkeys(arcwise._MODULES, "arcwise") | named) + "\n__version__: str\n"


def door_stubs() -> dict[Path, str]:
    """Return what type checkers see of the doors that import a name on first use."""
    from arcwise.base.doors import OFFERED

    for stage in STAGES:
        beside("api").module_of(stage)
    return {Path(str(sys.modules[door].__file__)).with_suffix(".pyi"): _stub(names) for door, names in OFFERED.items()}


def _stub(modules: dict[str, str]) -> str:
    """Return imports of names as themselves, which offers them, from the modules that define them."""
    head = '"""The names of the module, for type checkers and editors. Written by docs/update.py."""\n\n'
    ordered = sorted(modules, key=lambda name: (modules[name], not name.isupper(), name.islower(), name))
    return head + "".join(f"from {modules[name]} import {name} as {name}\n" for name in ordered)


def peer_table() -> str:
    """Return what was measured beside other software, as a Markdown table."""
    made: str = beside("peers").peer_table()
    return made


def beside(name: str) -> Any:
    """Return a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Rewrite what changed, and name it."""
    outputs = "--outputs" in sys.argv[1:]
    named = {Path(name).resolve() for name in sys.argv[1:] if name.endswith(".md")}
    for page in sorted(named or DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = regenerated(before)
        if outputs:
            after = with_outputs(after, page)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"rewrote {page.relative_to(DOCS.parent)}")
    keywords = beside("keywords")
    stubs = {PACKAGE / "__init__.pyi": package_stub(), **door_stubs()}
    made_whole = {keywords.STUB: keywords.stub(), **stubs}
    for path, made in made_whole.items():
        if not path.exists() or path.read_text(encoding="utf-8") != made:
            path.write_text(made, encoding="utf-8")
            print(f"rewrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
