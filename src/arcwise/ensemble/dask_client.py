"""A client of a Dask cluster: somebody's, or one of our own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["dask_client"]

# A cluster of our own watches itself less: by default its processes take a tenth of a core while they wait.
CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}


@contextlib.contextmanager
def dask_client(workers: int, cluster: str | Client | None) -> Iterator[Client]:
    """Connect to a cluster, by its address or as it is; None for one of our own, of so many workers."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise OptionError(Argument("backend", "dask"), "needs Dask: pip install 'arcwise[cluster]'.") from error
    connect: Callable[..., Any] = Client
    if isinstance(cluster, Client):
        yield cluster
        return
    if cluster is not None:
        try:
            client = connect(cluster, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise OptionError(f"no Dask scheduler answers at '{cluster}' ({error}).") from error
        with client:
            yield client
        return
    local: Callable[..., Any] = LocalCluster
    with (
        dask.config.set(CALM),
        local(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR") as own,
        connect(own, set_as_default=False) as client,
    ):
        yield client
