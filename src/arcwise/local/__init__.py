"""Local search: a good network, quickly; climbs, tabu search, a genetic search, orders, classes, trees."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "local.joint_cuts": "JointCuts joint_cuts",
        "local.problem": "LocalSearchResult",
        "local.run_analysis": "AscentSettings RunAnalysis RunSample analyse_runs",
        "local.searches": (
            "ClimbSettings GeneticSettings StartSettings TabuSettings chow_liu equivalence_search first_ascent "
            "genetic_search hill_climb naive_bayes order_search tabu_search tree_augmented"
        ),
    },
)
