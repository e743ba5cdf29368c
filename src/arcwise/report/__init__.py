"""Reports: a plain content tree, rendered as one self-contained HTML page or as text for a terminal."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "findings.edge_record": ("EdgeRecord",),
        "findings.verdict": ("Forest", "ForestRow"),
        "report.blocks": (
            "Bullets",
            "Chart",
            "TableColumn",
            "Guide",
            "KnownRules",
            "NetworkNode",
            "NetworkView",
            "Paragraph",
            "RuleLine",
            "Section",
            "Series",
            "TableBlock",
            "Verbatim",
        ),
        "report.html": ("render_html",),
        "report.report": ("Answer", "Report", "render_text"),
    },
)
