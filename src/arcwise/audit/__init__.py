"""The audit: what to know about data before anything is learned from them."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "audit.audit": "Audit AuditSettings audit_table check",
        "audit.finding": "Finding Kind Repair Severity",
    },
)
