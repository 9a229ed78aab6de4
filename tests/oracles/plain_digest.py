"""The digest of rows, from its definition alone: a loop over sorted rows, and hashlib."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256


def plain_digest(names, rows, part_entries=65_536):
    """``rows`` are tuples of texts, None for a null."""
    counts = Counter(rows)
    ordered = sorted(counts, key=lambda row: [(c is None, (c or "").encode()) for c in row])
    entries = [b"%d=" % counts[row] + b"".join(map(_cell, row)) for row in ordered]
    head = [list(names), len(rows), len(entries)]
    lines = [json.dumps(head, ensure_ascii=False, separators=(",", ":"))]
    for start in range(0, len(entries), part_entries):
        lines.append(sha256(b"".join(entries[start : start + part_entries])).hexdigest())
    return sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def _cell(text):
    if text is None:
        return b"-"
    return b"%d:%s" % (len(text.encode()), text.encode())
