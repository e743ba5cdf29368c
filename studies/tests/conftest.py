"""What the tests of studies share with those of arcwise."""

from tests.conftest import cli, networks, shared

__all__ = ["cli", "networks", "shared"]
