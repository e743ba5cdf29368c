"""`python -m arcwise`: the command line, where its program is not on the path."""

from __future__ import annotations

from arcwise.cli.entry import main

if __name__ == "__main__":
    main()
