"""The errors that arcwise raises, for `except`."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "base.errors": (
            "ArcwiseError CertificateError ConfigError ConstraintError DataError DataWarning FormatError "
            "GraphError GuaranteeError OptionError UnfinishedError UnknownNameError UnknownScoreError"
        ),
    },
)
