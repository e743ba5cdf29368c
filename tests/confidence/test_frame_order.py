from __future__ import annotations

import numpy as np

from arcwise.confidence import EdgeConfidence


def test_pairs_that_differ_by_rounding_stay_in_the_order_of_the_variables() -> None:
    directed = np.zeros((3, 3))
    directed[0, 1], directed[0, 2], directed[1, 2] = 0.875 - 1e-13, 0.875, 0.9
    confidence = EdgeConfidence(("a", "b", "c"), directed, np.zeros((3, 3)), "dag", "given", 3, "equal", exact=True)
    frame = confidence.to_frame()
    assert list(zip(frame["first"], frame["second"], strict=True)) == [("b", "c"), ("a", "b"), ("a", "c")]
