"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.plotting.charts import plot_bars as plot_bars
from arcwise.plotting.charts import plot_calibration as plot_calibration
from arcwise.plotting.charts import plot_forest as plot_forest
from arcwise.plotting.charts import plot_intervals as plot_intervals
from arcwise.plotting.charts import plot_matrix as plot_matrix
from arcwise.plotting.charts import plot_uniformity as plot_uniformity
from arcwise.plotting.layout import plot_network as plot_network
