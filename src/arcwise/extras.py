"""Packages that only some users need: what to install is said when one is missing.

Drawing figures needs matplotlib and what comes with it; networkx is needed to hand graphs to it. Neither is needed to
learn, to report or to predict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["load_figure", "load_networkx"]


def load_figure() -> type[Figure]:
    """Return matplotlib's class of figures."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError(
            "figures are drawn by matplotlib, which is not installed: pip install 'arcwise[figures]'."
        ) from None
    return Figure


def load_networkx() -> Any:
    """Return networkx."""
    try:
        import networkx
    except ImportError:
        raise OptionError("this graph is one of networkx, which is not installed: pip install networkx.") from None
    return networkx
