"""Make the figures of the worked analysis: `python docs/figures.py` writes them; a test compares."""

from __future__ import annotations

from pathlib import Path

FIGURES = Path(__file__).resolve().parent / "figures"


def make() -> dict[str, str]:
    """Return the text of each figure by its file name."""
    import arcwise
    from arcwise import datasets
    from arcwise.report.blocks import Chart
    from arcwise.report.html import chart_svg

    data = datasets.load("breast-cancer")
    names = [name for name in data.names if name.startswith("mean-")]
    chosen = data.select([*names, "diagnosis"])
    analysis = arcwise.learn(chosen, method="credible", rule="cost", seed=1, name="cell nuclei")
    ensemble = next(section for section in analysis.report.sections if section.key == "ensemble")
    (chart,) = [block for block in ensemble.blocks if isinstance(block, Chart)]
    style = (
        "<style>text{font:12px system-ui,sans-serif;fill:#57606a}.middle{text-anchor:middle}.end{text-anchor:end}"
        ".grid{stroke:#d0d7de}.axis{stroke:#57606a}.guide{stroke:#8a4b08;stroke-dasharray:5 4}"
        ".line{fill:none;stroke:#0b5cad;stroke-width:2}.dot{fill:#0b5cad}</style>"
        '<rect width="100%" height="100%" fill="#fff"/>'
    )
    deviations = chart_svg(chart, "deviations").replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    at = deviations.index(">") + 1
    return {
        "nuclei-network.svg": analysis.report.to_svg(),
        "nuclei-deviations.svg": deviations[:at] + style + deviations[at:] + "\n",
    }


if __name__ == "__main__":
    for name, text in make().items():
        (FIGURES / name).write_text(text, encoding="utf-8")
