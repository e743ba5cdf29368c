"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.model.files import NETWORK_FORMATS as NETWORK_FORMATS
from arcwise.model.files import NetworkFormat as NetworkFormat
from arcwise.model.files import format_bif as format_bif
from arcwise.model.files import format_network as format_network
from arcwise.model.files import network_format as network_format
from arcwise.model.files import write_bif as write_bif
from arcwise.model.files import write_network as write_network
from arcwise.model.fitting import ESTIMATORS as ESTIMATORS
from arcwise.model.fitting import fit_parameters as fit_parameters
from arcwise.model.mixed_network import MixedNetwork as MixedNetwork
from arcwise.model.mixed_network import NumberAnswer as NumberAnswer
from arcwise.model.mixed_network import StateAnswer as StateAnswer
from arcwise.model.network import BayesianNetwork as BayesianNetwork
from arcwise.model.network import parse_bif as parse_bif
from arcwise.model.network import parse_network as parse_network
from arcwise.model.network import read_bif as read_bif
from arcwise.model.network import read_network as read_network
from arcwise.model.structural_em import StructuralEm as StructuralEm
from arcwise.model.structural_em import structural_em as structural_em
from arcwise.model.tables import Distribution as Distribution
from arcwise.model.tables import Explanation as Explanation
from arcwise.model.tables import Marginals as Marginals
from arcwise.model.tables import RowDistributions as RowDistributions
