"""Run the command line as `python -m arcwise.cli`."""

from __future__ import annotations

from arcwise.cli.entry import main

main()
