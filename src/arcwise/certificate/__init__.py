"""Certificates of optimality: a proof as a file, and a checker that shares nothing with the search."""

from arcwise.certificate.certified import Certified, check_certificate

__all__ = [
    "Certified",
    "check_certificate",
]
