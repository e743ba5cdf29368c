"""`find_network`: the file of a network by its name."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.base.errors import suggestion
from arcwise.errors import ConfigError
from arcwise.model import NETWORK_FORMATS
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise_studies.sources import Sources

__all__ = ["find_network"]

SUFFIXES = tuple(
    suffix + packed for form in NETWORK_FORMATS.values() for suffix in form.suffixes for packed in ("", ".gz")
)


def find_network(source: SourceText, sources: Sources) -> Path:
    """Return the file: in the networks folder, seen from the configuration, or among those that pgmpy installs."""
    if source.options:
        raise ConfigError(f"'{source.text}': a network file takes no options.")
    found = sources.file(sources.networks_folder, source.kind, SUFFIXES)
    installed = _installed_folder()
    if found is None and installed is not None:
        found = sources.file(str(installed), source.kind, SUFFIXES)
    if found is not None:
        return found
    if source.kind.endswith(SUFFIXES):
        raise ConfigError(f"network '{source.kind}': no such file seen from {Path(sources.base_folder).resolve()}.")
    folders = [Path(sources.base_folder, folder) for folder in (sources.networks_folder, installed) if folder]
    if not folders:
        raise ConfigError(
            f"network '{source.kind}': there is no folder to look in. Give one (--networks FOLDER, or networks_folder "
            "in the configuration), or install pgmpy, which brings the networks of the bnlearn repository."
        )
    known = {path.name.split(".")[0] for folder in folders for path in folder.glob("*") if path.name.endswith(SUFFIXES)}
    places = " and ".join(map(str, folders))
    raise ConfigError(f"{suggestion('network', source.kind, known)} Looked in {places}.")


def _installed_folder() -> Path | None:
    """Return the folder of example networks of an installed pgmpy; pgmpy itself, slow to import, is not imported."""
    package = importlib.util.find_spec("pgmpy")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "utils" / "example_models"
    return folder if folder.is_dir() else None
