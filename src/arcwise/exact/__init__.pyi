"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.exact.optimal import METHODS as METHODS
from arcwise.exact.optimal import certify_optimal as certify_optimal
from arcwise.exact.optimal import find_optimal as find_optimal
from arcwise.exact.proof import PROOF_TOLERANCE as PROOF_TOLERANCE
from arcwise.exact.proof import Optimum as Optimum
