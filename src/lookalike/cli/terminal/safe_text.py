"""Remove control characters from text: names come from other people's files."""

from __future__ import annotations


def clean(text: str) -> str:
    """The text with every unprintable character except newlines replaced."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
