"""`arcwise threshold`: from where on to believe an edge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.cli.options import JsonOption, QuietOption, SeedOption, print_json, progress_from
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.confidence import EdgeConfidence

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("threshold")(threshold)


def threshold(
    confidence: Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")],
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            help="learned, cost, scutari, broom, gross or fixed; default: learned with --metric, else scutari.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help="learned rule, how you will be judged: shd, f (of the skeleton), f-cpdag, or cost.",
            show_default=False,
        ),
    ] = None,
    beta: Annotated[
        float | None, typer.Option("--beta", help="For f, f-cpdag and the cost rule: recall against precision.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="For cost: how many extra edges a missed edge is worth.")
    ] = None,
    value: Annotated[float | None, typer.Option("--value", help="fixed rule: the cut-off.")] = None,
    published: Annotated[
        bool, typer.Option("--published", help="learned rule: Liao's own table (SHD) instead of the package's.")
    ] = False,
    cases: Annotated[
        int | None,
        typer.Option("--cases", min=1, help="learned rule: the number of cases, if the file does not say it."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="broom rule: the data that the confidences come from.")
    ] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", min=2, help="broom rule: how many permuted data sets.")
    ] = 60,
    permuted: Annotated[
        list[Path] | None,
        typer.Option(
            "--permuted", help="broom rule, instead of --data: confidences of permuted data, at least 2 files."
        ),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Choose the cut-off above which an edge counts as significant, by one of the published rules.

    With --metric, the threshold that did best on networks whose truth is known, and the reasons for it.

    Example: arcwise threshold confidence.parquet --metric f --beta 0.5
    """
    from dataclasses import replace

    from arcwise.confidence import EdgeConfidence, choose_threshold, recommend

    given = EdgeConfidence.load(confidence)
    if cases is not None:
        given = replace(given, n_cases=cases)
    chosen_rule = rule or ("learned" if metric is not None else "scutari")
    options: dict[str, Any] = {
        name: option
        for name, option in (("metric", metric), ("beta", beta), ("alpha", alpha), ("value", value))
        if option is not None
    }
    if published:
        options["source"] = "published"
    if chosen_rule == "broom":
        options |= _for_broom(given, confidence, data, permuted, permutations, seed, quiet)
    elif data is not None or permuted:
        raise OptionError(f"--data and --permuted are for the rule 'broom', not '{chosen_rule}'.")
    advice = None
    if chosen_rule == "learned" and not published and "value" not in options:
        advice = recommend(given, **options)
        chosen = advice.threshold
    else:
        chosen = choose_threshold(given, chosen_rule, **options)
    count = int((given.vector > chosen.value).sum())
    if as_json:
        facts: dict[str, Any] = {
            "threshold": chosen.value,
            "rule": chosen.rule,
            "assumes": chosen.assumes,
            "details": chosen.details,
            "significant": count,
            "pairs": len(given.vector),
        }
        if advice is not None:
            facts |= {
                "metric": advice.metric,
                "weight": advice.weight,
                "meaning": advice.cost_in_words,
                "text": advice.text,
                "neighbours": [
                    {"threshold": a.threshold, "edges": a.edges, "extra_error": a.extra_error}
                    for a in advice.neighbours
                ],
                "other_rules": [
                    {"rule": a.reason, "threshold": a.threshold, "edges": a.edges} for a in advice.other_rules
                ],
            }
        print_json(facts)
        return
    if advice is not None:
        typer.echo(advice.text)
        return
    if quiet:
        typer.echo(f"{chosen.value!r}")
        return
    typer.echo(f"threshold {chosen.value:.4g} by the rule '{chosen.rule}', which assumes that {chosen.assumes}.")
    typer.echo(f"{count} of {len(given.vector)} pairs are above it.")


def _for_broom(
    given: EdgeConfidence,
    confidence: Path,
    data: Path | None,
    permuted: list[Path] | None,
    permutations: int,
    seed: int,
    quiet: bool,
) -> dict[str, Any]:
    """Return what Broom's rule needs: the data, or the vectors of permuted data."""
    import numpy as np

    from arcwise.confidence import EdgeConfidence

    if (data is None) == (not permuted):
        raise OptionError("the rule 'broom' needs --data, the data of the confidences, or --permuted files; give one.")
    if data is not None:
        from arcwise.data import read_data

        progress = progress_from(quiet)
        cases = read_data(data, progress=progress)
        return {"data": cases, "permutations": permutations, "seed": seed, "progress": progress}
    vectors = []
    for path in permuted or ():
        other = EdgeConfidence.load(path)
        if other.names != given.names:
            raise OptionError(f"{path} is over other variables than {confidence}.")
        vectors.append(other.vector)
    return {"permuted": np.array(vectors)}
