"""Exact search: the best network, with a proof that there is none better."""

from arcwise.base import doors
from arcwise.exact.optimal import METHODS as METHODS
from arcwise.exact.optimal import certify_optimal as certify_optimal
from arcwise.exact.optimal import find_optimal as find_optimal
from arcwise.exact.optimum import PROOF_TOLERANCE as PROOF_TOLERANCE
from arcwise.exact.optimum import Optimum as Optimum

doors.export(__name__)
