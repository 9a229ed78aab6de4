"""Metrics by the names that a policy file gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lookalike.cost.class_size import ClassSize
from lookalike.cost.classification import Classification
from lookalike.cost.discernibility import Discernibility
from lookalike.cost.entropy import Entropy
from lookalike.cost.height import Height
from lookalike.cost.loss import Loss
from lookalike.cost.metric import Metric
from lookalike.cost.precision import Precision
from lookalike.errors import Fault, PolicyError
from lookalike.policy.name_suggestions import unknown_word

BY_NAME: Mapping[str, Callable[[], Metric]] = {
    "precision": Precision,
    "discernibility": Discernibility,
    "loss": Loss,
    "loss-geometric": lambda: Loss(aggregate="geometric"),
    "class-size": ClassSize,
    "entropy": Entropy,
    "height": Height,
}
BY_COLUMN: Mapping[str, Callable[[str], Metric]] = {"classification": Classification}


def metric_from(spec: object) -> Metric:
    """The metric of ``"precision"`` or ``{"classification": "column"}``."""
    if isinstance(spec, str) and spec in BY_NAME:
        return BY_NAME[spec]()
    if isinstance(spec, Mapping) and len(spec) == 1:
        [(name, column)] = spec.items()
        if name in BY_COLUMN and isinstance(column, str):
            return BY_COLUMN[name](column)
    if isinstance(spec, str) and spec in BY_COLUMN:
        fix = f'name its column, as metric = {{ {spec} = "column" }}'
        raise PolicyError(Fault("metric", f"{spec} needs a column", fix))
    shown = [*BY_NAME, *(f'{{ {name} = "column" }}' for name in BY_COLUMN)]
    raise PolicyError(unknown_word("metric", "no such metric", spec, shown))


def metric_to(metric: Metric) -> object:
    """As a policy file writes the metric: the inverse of ``metric_from``."""
    if isinstance(metric, Classification):
        return {metric.name: metric.column}
    if metric.name not in BY_NAME:
        problem = f"{type(metric).__name__} has no name in policy files"
        raise PolicyError(Fault("metric", problem, f"use one of: {', '.join(BY_NAME)}"))
    return metric.name
