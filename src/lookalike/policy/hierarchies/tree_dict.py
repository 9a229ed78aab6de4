"""Read a tree from nested dicts and lists: ``{"Europe": {"West": ["France", "Spain"]}}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lookalike.policy.cell_text import text


def rows_of(tree: Mapping[object, object]) -> tuple[tuple[str, ...], ...]:
    """Rows of equal length, leaf first and top last.

    A short branch is padded at the bottom, by repeating the leaf: the top groups are all on the
    same level, and a leaf with fewer groups stays unchanged until its own group begins.
    """
    paths = list(_paths(tree, ()))
    depth = max(map(len, paths), default=0)
    return tuple((path[0],) * (depth - len(path)) + path for path in paths)


def _paths(branch: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The path from each leaf to the top; a key with nothing below it is a leaf."""
    if isinstance(branch, Mapping):
        for key, below in branch.items():
            label = text(key)
            if below is None or below in ({}, [], ()):
                yield (label, *above)
            else:
                yield from _paths(below, (label, *above))
    elif isinstance(branch, Iterable) and not isinstance(branch, str | bytes):
        for below in branch:
            yield from _paths(below, above)
    else:
        yield (text(branch), *above)
