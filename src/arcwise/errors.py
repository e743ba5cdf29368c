"""The errors that arcwise raises, for `except`."""

from arcwise.base.errors import (
    ArcwiseError,
    CertificateError,
    ConfigError,
    ConstraintError,
    DataError,
    DataWarning,
    FormatError,
    GraphError,
    GuaranteeError,
    OptionError,
    UnfinishedError,
    UnknownNameError,
    UnknownScoreError,
)

__all__ = [
    "ArcwiseError",
    "CertificateError",
    "ConfigError",
    "ConstraintError",
    "DataError",
    "DataWarning",
    "FormatError",
    "GraphError",
    "GuaranteeError",
    "OptionError",
    "UnfinishedError",
    "UnknownNameError",
    "UnknownScoreError",
]
