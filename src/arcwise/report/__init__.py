"""Reports: a plain content tree, rendered as one self-contained HTML page or as text for a terminal."""

from arcwise.report.content.answer import Answer
from arcwise.report.content.blocks import (
    Bullets,
    Chart,
    Column,
    Guide,
    KnownRules,
    NetworkEdge,
    NetworkNode,
    NetworkView,
    Paragraph,
    Report,
    RuleLine,
    Section,
    Series,
    Table,
    Verbatim,
)
from arcwise.report.content.forest import Forest, ForestRow
from arcwise.report.render.html import render_html
from arcwise.report.render.text import render_text

__all__ = [
    "Answer",
    "Bullets",
    "Chart",
    "Column",
    "Forest",
    "ForestRow",
    "Guide",
    "KnownRules",
    "NetworkEdge",
    "NetworkNode",
    "NetworkView",
    "Paragraph",
    "Report",
    "RuleLine",
    "Section",
    "Series",
    "Table",
    "Verbatim",
    "render_html",
    "render_text",
]
