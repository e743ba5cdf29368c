"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.audit.audit import Audit as Audit
from arcwise.audit.audit import AuditSettings as AuditSettings
from arcwise.audit.audit import audit_table as audit_table
from arcwise.audit.audit import check as check
from arcwise.audit.finding import Finding as Finding
from arcwise.audit.finding import Kind as Kind
from arcwise.audit.finding import Repair as Repair
from arcwise.audit.finding import Severity as Severity
