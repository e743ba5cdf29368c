"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.findings.edge_record import EdgeRecord as EdgeRecord
from arcwise.findings.verdict import Forest as Forest
from arcwise.findings.verdict import ForestRow as ForestRow
from arcwise.report.blocks import Bullets as Bullets
from arcwise.report.blocks import Chart as Chart
from arcwise.report.blocks import Guide as Guide
from arcwise.report.blocks import KnownRules as KnownRules
from arcwise.report.blocks import NetworkNode as NetworkNode
from arcwise.report.blocks import NetworkView as NetworkView
from arcwise.report.blocks import Paragraph as Paragraph
from arcwise.report.blocks import RuleLine as RuleLine
from arcwise.report.blocks import Section as Section
from arcwise.report.blocks import Series as Series
from arcwise.report.blocks import TableBlock as TableBlock
from arcwise.report.blocks import TableColumn as TableColumn
from arcwise.report.blocks import Verbatim as Verbatim
from arcwise.report.html import render_html as render_html
from arcwise.report.report import Answer as Answer
from arcwise.report.report import Report as Report
from arcwise.report.report import render_text as render_text
