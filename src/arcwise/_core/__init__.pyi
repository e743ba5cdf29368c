# The native core, one stub per stage. At run time arcwise._core is one compiled module.
from arcwise._core import confidence as confidence
from arcwise._core import counts as counts
from arcwise._core import credible as credible
from arcwise._core import data as data
from arcwise._core import exact as exact
from arcwise._core import graph as graph
from arcwise._core import local as local
from arcwise._core import model as model
from arcwise._core import parent_sets as parent_sets
from arcwise._core import plotting as plotting
from arcwise._core import posterior as posterior
from arcwise._core import priors as priors
from arcwise._core import sampled as sampled
from arcwise._core import scores as scores

def prepare_thread() -> None: ...
