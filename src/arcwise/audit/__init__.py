"""The audit: what to know about data before anything is learned from them."""

from arcwise.audit.audit import Audit, AuditSettings, audit_table, check
from arcwise.audit.finding import Finding, Kind, Repair, Severity

__all__ = [
    "Audit",
    "AuditSettings",
    "Finding",
    "Kind",
    "Repair",
    "Severity",
    "audit_table",
    "check",
]
