"""Reports: a plain content tree, rendered as one self-contained HTML page or as text for a terminal."""

from arcwise.findings.edge_record import EdgeRecord
from arcwise.findings.trust import Forest, ForestRow
from arcwise.report.answer import Answer
from arcwise.report.blocks import (
    Bullets,
    Chart,
    Column,
    Guide,
    KnownRules,
    NetworkNode,
    NetworkView,
    Paragraph,
    RuleLine,
    Section,
    Series,
    Table,
    Verbatim,
)
from arcwise.report.html import render_html
from arcwise.report.report import Report
from arcwise.report.text import render_text

__all__ = [
    "Answer",
    "Bullets",
    "Chart",
    "Column",
    "EdgeRecord",
    "Forest",
    "ForestRow",
    "Guide",
    "KnownRules",
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
