"""Names come from strangers' files: without the signs that would steer a terminal."""

from __future__ import annotations


def clean(text: str) -> str:
    """The text with every unprintable sign but the line end replaced."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )
