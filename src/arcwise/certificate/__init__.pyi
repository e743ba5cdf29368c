"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.certificate.certified import Certified as Certified
from arcwise.certificate.certified import check_certificate as check_certificate
