"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.scores.dirichlet import Estimate as Estimate
from arcwise.scores.dirichlet import JointPrior as JointPrior
from arcwise.scores.dirichlet import PriorNetwork as PriorNetwork
from arcwise.scores.dirichlet import UniformPrior as UniformPrior
from arcwise.scores.registry import MIXED_SCORES as MIXED_SCORES
from arcwise.scores.registry import SCORES as SCORES
from arcwise.scores.registry import make_score as make_score
from arcwise.scores.score import BelievedScore as BelievedScore
from arcwise.scores.score import Facts as Facts
from arcwise.scores.score import Parameter as Parameter
from arcwise.scores.score import Score as Score
