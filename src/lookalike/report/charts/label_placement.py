"""Places for the labels of a chart: each near its mark, and clear of other labels and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple

WIDTH, HEIGHT = 700, 420  # of the plot, in pixels
TEXT = 13  # size of the text, in pixels
DISTANCES = (0, 14, 28, 42, 60, 80, 105, 130)  # pixels between a mark and its label
DIRECTIONS = (  # right, down
    (1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1),
    (1, -0.4), (1, 0.4), (-1, -0.4), (-1, 0.4), (0.4, -1), (0.4, 1), (-0.4, -1), (-0.4, 1),
)  # fmt: skip

Align = Literal["left", "center", "right"]


class Spot(NamedTuple):
    """A place on the plot, in pixels from the upper left."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle on the plot."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )  # fmt: skip

    def is_inside(self) -> bool:
        return self.left >= 0 and self.top >= 0 and self.right <= WIDTH and self.bottom <= HEIGHT


class Label(NamedTuple):
    """A text and its box, with a leader line if it is not next to its mark."""

    text: str
    at: Spot
    align: Align
    box: Box
    leader: tuple[Spot, Spot] | None
    trail: list[Box]  # the leader as small boxes

    def vicinity(self) -> Box:
        """A mark in this box could be mistaken for the label's own."""
        left, top, right, bottom = self.box
        return Box(left - 8, top - 8, right + 8, bottom + 8)


def place_labels(
    candidates: Sequence[Sequence[Label]], marks: Sequence[Box], lines: Sequence[Box]
) -> list[Label]:
    """The best of the candidates for each label.

    Labels are placed one after the other; then those that cover something are moved if that helps.
    """

    def penalty(label: Label, others: Sequence[Label]) -> int:
        texts = [*marks, *(other.box for other in others)]
        trails = [step for other in others for step in other.trail]
        near = sum(label.vicinity().overlaps(mark) for mark in marks)
        return (
            20 * (not label.box.is_inside())
            + 3 * (0 if label.leader else max(0, near - 1))
            + 10 * sum(label.box.overlaps(text) for text in texts)
            + 4 * sum(label.box.overlaps(line) for line in lines)
            + 2 * sum(label.box.overlaps(step) for step in trails)
            + 2 * sum(step.overlaps(text) for step in label.trail for text in texts)
            + sum(step.overlaps(other) for step in label.trail for other in trails)
        )

    def best(labels: Sequence[Label], others: Sequence[Label]) -> Label:
        return min(labels, key=lambda label: penalty(label, others))

    placed: list[Label] = []
    for labels in candidates:
        placed.append(best(labels, placed))
    for _ in range(3):
        for number, labels in enumerate(candidates):
            others = placed[:number] + placed[number + 1 :]
            if penalty(placed[number], others):
                placed[number] = best(labels, others)
    return placed


def labels_along_line(text: str, height: float) -> list[Label]:
    """Candidates for the label of a horizontal line: below or above it, at either end."""
    labels = []
    for offset in (0.9, -0.9, 1.8, -1.8):
        labels.append(_label(text, Spot(WIDTH - 4, height + offset * TEXT), "right"))
        labels.append(_label(text, Spot(4, height + offset * TEXT), "left"))
    return labels


def labels_around_mark(text: str, mark: Spot) -> list[Label]:
    """Candidates for the label of a mark: around it, then further away with a leader line."""
    labels = []
    for distance, (right, down) in product(DISTANCES, DIRECTIONS):
        away = 8 / math.hypot(right, down)
        start = Spot(mark.x + right * away, mark.y + down * away)
        end = Spot(mark.x + right * (10 + distance), mark.y + down * (9 + distance))
        at = Spot(end.x + right * 2, end.y + down * 0.5 * TEXT)
        align: Align = "left" if right == 1 else "right" if right == -1 else "center"
        labels.append(_label(text, at, align, (start, end) if distance else None))
    return labels


def box_around(spot: Spot, reach: float) -> Box:
    return Box(spot.x - reach, spot.y - reach, spot.x + reach, spot.y + reach)


def _label(text: str, at: Spot, align: Align, leader: tuple[Spot, Spot] | None = None) -> Label:
    width = 0.62 * TEXT * len(text) + 4  # for the widest letters of the usual fonts
    left = at.x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
    box = Box(left, at.y - 0.6 * TEXT, left + width, at.y + 0.6 * TEXT)
    return Label(text, at, align, box, leader, _trail(*leader) if leader else [])


def _trail(start: Spot, end: Spot) -> list[Box]:
    steps = max(1, round(math.dist(start, end) / 6))
    return [
        box_around(Spot(start.x + s * (end.x - start.x), start.y + s * (end.y - start.y)), 2)
        for s in (step / steps for step in range(1, steps + 1))
    ]
