"""Pictures by matplotlib for the `plot` methods, and the layered layout that the report's network has, too.

What is drawn comes as names and arrays, so that every stage can ask for it. A method takes `ax`, the axes to draw into,
and returns them."""

from arcwise.base import doors
from arcwise.plotting.charts import plot_bars as plot_bars
from arcwise.plotting.charts import plot_calibration as plot_calibration
from arcwise.plotting.charts import plot_forest as plot_forest
from arcwise.plotting.charts import plot_intervals as plot_intervals
from arcwise.plotting.charts import plot_matrix as plot_matrix
from arcwise.plotting.charts import plot_uniformity as plot_uniformity
from arcwise.plotting.layout import plot_network as plot_network

doors.export(__name__)
