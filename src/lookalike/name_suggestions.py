"""Faults for unknown words in a policy file: they list the known words and suggest the nearest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from lookalike.errors import Fault


def unknown_word(where: str, problem: str, word: object, allowed: Iterable[str]) -> Fault:
    """A fault whose fix lists the allowed words, and suggests the nearest."""
    known = list(allowed)
    near = get_close_matches(str(word), known, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    return Fault(where, problem, f"{meant}use one of: {', '.join(known)}")


def unknown_keys(where: str, section: Mapping[str, object], allowed: Iterable[str]) -> list[Fault]:
    """A fault for each key of a section that is not allowed; ``where`` "" is the whole file."""
    known = list(allowed)
    return [
        unknown_word(f"{where}.{key}" if where else key, "unknown key", key, known)
        for key in section
        if key not in known
    ]
