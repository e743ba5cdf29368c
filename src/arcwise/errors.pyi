"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.base.errors import ArcwiseError as ArcwiseError
from arcwise.base.errors import CertificateError as CertificateError
from arcwise.base.errors import ConfigError as ConfigError
from arcwise.base.errors import ConstraintError as ConstraintError
from arcwise.base.errors import DataError as DataError
from arcwise.base.errors import DataWarning as DataWarning
from arcwise.base.errors import FormatError as FormatError
from arcwise.base.errors import GraphError as GraphError
from arcwise.base.errors import GuaranteeError as GuaranteeError
from arcwise.base.errors import OptionError as OptionError
from arcwise.base.errors import UnfinishedError as UnfinishedError
from arcwise.base.errors import UnknownNameError as UnknownNameError
from arcwise.base.errors import UnknownScoreError as UnknownScoreError
