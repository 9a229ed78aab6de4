"""Metrics by the names that a policy file gives them."""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.cost.metric import Metric
from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.registry import METRICS


def metric_from(spec: object) -> Metric:
    """The metric of ``"precision"`` or ``{"classification": "column"}``."""
    name, value = spec, None
    if isinstance(spec, Mapping) and len(spec) == 1:
        [(name, value)] = spec.items()
    if not isinstance(name, str) or name not in METRICS:
        raise PolicyError(unknown_word("metric", "no such metric", name, METRICS.names))
    kind: type[Metric] = METRICS.load(name)
    if kind.parameter and value is None:
        fix = f'give it, for example metric = {{ {name} = "{kind.parameter}" }}'
        raise PolicyError(Fault("metric", f"{name} needs a {kind.parameter}", fix))
    if isinstance(spec, Mapping) and not kind.parameter:
        fix = f'use metric = "{name}"'
        raise PolicyError(Fault("metric", f"{name} takes no value", fix))
    try:
        return kind.from_policy(name, value)
    except (TypeError, ValueError) as error:
        fix = f"give another {kind.parameter or 'metric'}"
        raise PolicyError(Fault("metric", f"{name}: {error}", fix)) from None


def metric_to(metric: Metric) -> object:
    """The metric as a policy file writes it: the inverse of ``metric_from``."""
    if metric.name not in METRICS:
        problem = f"{type(metric).__name__} has no name in policy files"
        raise PolicyError(Fault("metric", problem, f"use one of: {', '.join(METRICS.names)}"))
    return metric.to_policy()
