"""Certificates of optimality: a proof as a file, and a checker that shares nothing with the search."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "certificate.certified": "Certified check_certificate",
    },
)
