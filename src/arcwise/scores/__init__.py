"""Scores: how well a variable's parents explain it, one family per file; natural logarithms, higher is better."""

from arcwise.base import doors
from arcwise.scores.believed import BelievedScore as BelievedScore
from arcwise.scores.hypothetical import Estimate as Estimate
from arcwise.scores.prior_network import JointPrior as JointPrior
from arcwise.scores.prior_network import PriorNetwork as PriorNetwork
from arcwise.scores.prior_network import UniformPrior as UniformPrior
from arcwise.scores.registry import SCORES as SCORES
from arcwise.scores.registry import make_score as make_score
from arcwise.scores.score import Facts as Facts
from arcwise.scores.score import Parameter as Parameter
from arcwise.scores.score import Score as Score

doors.export(__name__)
