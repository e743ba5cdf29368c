"""Run the command line as `python -m arcwise.cli`."""

from arcwise.cli.main import main

main()
