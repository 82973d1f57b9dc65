"""Numbers as rows of length one, whoever gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows


def unit_rows(numbers: Any) -> Rows:
    """Rows of length one; what is no number counts nothing, and a row of nothing stays zeros."""
    rows = np.nan_to_num(np.atleast_2d(np.asarray(numbers, dtype=np.float32)), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    found: Rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0, casting="unsafe")
    return found
