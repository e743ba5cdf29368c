"""Certificates of optimality: a proof as a file, and a checker that shares nothing with the search."""

from arcwise.base import doors
from arcwise.certificate.certified import Certified as Certified
from arcwise.certificate.certified import check_certificate as check_certificate

doors.export(__name__)
