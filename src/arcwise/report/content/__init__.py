"""The content of a report as plain values, and how its numbers are written."""
