"""`python -m arcwise.certificate TABLE CERTIFICATE`: the checker, without the rest of the command line."""

from __future__ import annotations

import sys

from arcwise.certificate.checker import main

sys.exit(main(sys.argv[1:]))
