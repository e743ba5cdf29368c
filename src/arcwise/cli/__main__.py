"""Run the command line as `python -m arcwise.cli`."""

from arcwise.cli.entry import main

main()
