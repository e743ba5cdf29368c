"""What a data set is recognised by."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset

__all__ = ["content_digest"]


def content_digest(data: Dataset) -> str:
    """Return the SHA-256 of what data hold, in hexadecimal: see `Dataset.digest`."""
    hasher = hashlib.sha256()
    hasher.update(json.dumps([data.names, data.states, data.n_rows], ensure_ascii=True).encode())
    codes = data.codes
    kind = codes.dtype.newbyteorder("<")  # the type follows from the states, so that it need not be hashed
    for column in codes:
        hasher.update(column.astype(kind, copy=False).data)
    if data.weights is not None and not bool((data.weights == 1).all()):
        hasher.update(data.weights.astype("<i8", copy=False).data)
    if data.targets is not None:
        hasher.update(json.dumps(data.targets.sets, ensure_ascii=True).encode())
        hasher.update(data.targets.of_row.astype("<i4", copy=False).data)
    return hasher.hexdigest()
