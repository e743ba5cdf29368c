"""`arcwise posterior`: the probability of every arc over all networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import arcwise.recipes.registry  # noqa: F401 - a recipe finds its source there
from arcwise.base.options import Common, options_of, row, rows
from arcwise.base.run import Run
from arcwise.cli.options import DataArgument, LearningVerb, MemoryLimit, ScoreOptions
from arcwise.cli.output import NetworksFileVerb
from arcwise.cli.verb import Result
from arcwise.networks.origin import make_facts
from arcwise.networks.recipe import Recipe
from arcwise.posterior.settings import PosteriorSettings
from arcwise.recipes.posterior import PosteriorOptions, find_posterior


class Posterior(LearningVerb, MemoryLimit, NetworksFileVerb):
    """Find how probable each arc is, over all networks, each in proportion to its posterior probability.

    Sums over all networks where that is possible. Otherwise chains draw networks until they agree; if they do not, the
    exit code is 3, and what is printed is not the posterior. With -o, networks are written: 10,000 that were drawn
    independently, where the posterior was summed, and else those that the chains drew.

    Example: arcwise posterior survey.csv --score bdeu --ess 1 --seed 1
    """

    data: DataArgument
    scored: ScoreOptions = rows(ScoreOptions)
    settings: PosteriorSettings = rows(PosteriorSettings)
    seed: int = row(Common, "seed")
    threads: int | None = row(Common, "threads")

    def _run(self) -> Result:
        deadline = Run.of(self.limits)
        score = self.scored.make()
        cases, known = self.read_known(self.data, self, score)
        found = find_posterior(
            cases,
            score,
            max_parents=self.max_parents,
            constraints=known,
            seed=self.seed,
            threads=self.threads,
            limits=deadline.limits,
            progress=self.progress,
            settings=replace(self.settings, drawing=self.output is not None),
        )
        status, short = found.status, ""
        if self.output is not None and (found.exact is None or found.complete):
            recipe = Recipe.usual(
                "posterior",
                score,
                n_cases=cases.n_cases,
                arities=cases.arities.tolist(),
                max_parents=self.max_parents,
                constraints=known,
                **{item.name: getattr(self.settings, item.name) for item in options_of(PosteriorOptions)},
            )
            drawn = found.networks(seed=self.seed, threads=self.threads, limits=deadline.uncounted).made_by(recipe)
            replace(drawn, facts=drawn.facts | make_facts(n_cases=cases.n_cases)).save(self.output)
            status = drawn.status  # draws take time, too
            if found.exact is not None and not drawn.complete:
                short = f" Only {drawn.count:,} networks were drawn and written ({drawn.status})."
        unfinished = found.exact is not None and not found.exact.complete
        nothing = unfinished or (found.chains is not None and not found.chains.count)
        n = len(found.names)
        arcs = np.zeros((n, n)) if unfinished else found.arc_probabilities()
        errors = np.zeros((n, n)) if unfinished else found.standard_errors()
        order = sorted(zip(*np.nonzero(arcs), strict=True), key=lambda arc: (-arcs[arc], arc))
        listed = [
            {
                "from": found.names[p],
                "to": found.names[c],
                "probability": float(arcs[p, c]),
                "edge": float(min(1.0, arcs[p, c] + arcs[c, p])),
                "edge_error": float(errors[p, c]),
            }
            for p, c in order
        ]
        report = found.exact.needed() if unfinished and found.exact is not None else f"{found.report()}{short}"
        made = found.chains if found.chains is not None else None if unfinished else found.exact
        payload = {
            "way": "exact" if found.is_exact else "chains",
            "complete": status is found.status and found.complete,
            "status": status,
            "seconds": deadline.seconds,
            "verdict": None if found.chains is None else found.chains.verdict.describe(),
            "left_out": None if made is None else made.left_out,
            "report": report,
            "score": score.describe(),
            "arcs": listed,
        }
        lines = [f"{arc['from']} -> {arc['to']}  {arc['probability']:.4f}" for arc in listed]
        none = f"# no arc is known: {found.status}" if nothing else "# no arc is in any network"
        return Result(payload, lines or none, f"{report} {deadline.seconds:.2f} s.", status=status)
