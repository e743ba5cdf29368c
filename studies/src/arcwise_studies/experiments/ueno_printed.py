"""Tables 1 and 2 of Ueno and Uto (2012) as printed.

Our copy is hard to read in places. SHD is the sum of the other five columns, which settles single figures; a row with
more than one unreadable figure has None in their places.
"""

from __future__ import annotations

__all__ = ["COLUMNS_PRINTED", "ESS_PRINTED", "SIZES_PRINTED", "TABLE_1", "TABLE_2", "printed_row"]

COLUMNS_PRINTED = ("correct", "SHD", "ME", "EE", "WO", "MO", "EO")
ESS_PRINTED = (0.1, 1.0, 10.0)
SIZES_PRINTED = (200, 500, 1000)

# By network: for each ESS the rows of 200, 500 and 1,000 samples.
TABLE_1 = {
    "g1": """
        5 233 97 21 12 81 22 | 76 67 21 11 5 19 11 | 98 5 0 2 0 2 1
        34 173 53 17 19 56 28 | 84 52 5 11 6 16 14 | 96 10 0 4 0 4 2
        1 458 17 223 11 123 84 | 24 252 2 112 2 100 36 | 47 176 0 73 2 72 29""",
    "g2": """
        5 211 97 9 2 91 12 | 82 52 8 0 9 19 16 | 99 4 0 0 1 1 2
        32 177 54 10 11 69 33 | 86 45 0 2 11 13 19 | 99 4 0 0 1 1 2
        40 180 18 43 16 60 43 | 74 73 0 17 10 26 20 | 87 32 0 14 1 8 9""",
    "g3": """
        0 205 131 3 0 69 2 | 9 194 85 0 2 95 12 | 72 74 16 1 13 27 17
        3 - 101 - - - - | 33 - 32 - - 79 - | 85 49 1 0 13 16 19
        6 299 46 23 36 87 107 | 44 200 4 14 32 66 84 | 84 50 0 3 13 15 19""",
    "g4": """
        0 253 208 5 0 38 2 | 0 208 111 1 3 86 7 | 16 184 77 1 3 88 15
        1 233 158 7 2 56 10 | 7 210 84 1 9 93 23 | 41 175 28 0 15 75 57
        5 290 94 26 19 77 74 | 22 249 36 10 30 82 91 | 51 174 4 3 24 60 83""",
}
TABLE_2 = {
    "g1": """
        5 264 93 40 19 78 34 | 62 98 19 31 4 32 12 | 91 19 0 9 0 8 2
        34 191 52 30 22 49 38 | 84 55 5 18 3 22 7 | 92 17 0 8 0 8 1
        6 447 24 215 12 87 108 | 68 119 6 40 18 34 21 | 96 8 0 4 0 4 0""",
    "g2": """
        10 203 91 9 3 86 14 | 80 41 4 1 8 14 14 | 100 0 0 0 0 0 0
        45 147 36 12 11 56 32 | 88 37 0 2 9 11 15 | 100 0 0 0 0 0 0
        51 126 14 42 11 34 25 | 82 44 0 10 8 12 14 | 91 22 0 9 0 8 5""",
    "g3": """
        0 209 122 4 0 78 5 | 20 175 70 0 6 81 18 | 81 55 8 1 12 18 16
        4 241 91 12 10 85 43 | 50 144 20 1 20 55 48 | 87 45 0 1 12 14 18
        14 285 30 42 34 77 102 | 58 132 1 20 21 38 52 | 84 49 0 6 12 14 17""",
    "g4": """
        0 247 192 6 0 45 4 | 2 204 102 1 3 91 7 | 23 179 66 1 6 82 24
        2 244 141 10 4 62 27 | 11 223 70 3 18 89 43 | 45 180 19 0 20 69 72
        4 324 75 47 25 74 103 | 25 250 27 19 33 73 98 | 55 158 2 7 22 52 75""",
}


def printed_row(table: dict[str, str], network: str, ess: float, size: int) -> list[int | None]:
    """Return a printed row, in the order of `COLUMNS_PRINTED`."""
    line = table[network].strip().splitlines()[ESS_PRINTED.index(ess)]
    values = line.split("|")[SIZES_PRINTED.index(size)].split()
    return [None if value == "-" else int(value) for value in values]
