"""A table that holds another one and passes on to it what it does not do itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any


def _pass_on(name: str, to: str = "inner") -> Any:
    """A method that calls the method ``name`` of the attribute ``to``."""

    def method(self: WrappedTable, *args: Any, **named: Any) -> Any:
        return getattr(getattr(self, to), name)(*args, **named)

    return method


class WrappedTable:
    """Passes every method of ``Table`` on to ``inner``; a subclass overrides what it does itself.

    What the verifier asks about text goes to ``text_source``.
    """

    __slots__ = ()
    inner: Any  # a table

    @property
    def text_source(self) -> Any:
        return self.inner

    def eligible_rows(self, eligible: Mapping[str, Sequence[str]]) -> Any:
        return self.inner.eligible_rows(eligible) if eligible else self

    columns: Any = property(attrgetter("inner.columns"))
    types: Any = property(attrgetter("inner.types"))
    rows = _pass_on("rows")
    count_groups = _pass_on("count_groups")
    count_columns = _pass_on("count_columns")
    estimate_groups = _pass_on("estimate_groups")
    sample_groups = _pass_on("sample_groups")
    remote_counts = _pass_on("remote_counts")
    text_rows = _pass_on("text_rows")
    text_codes = _pass_on("text_codes")
    prepare_release = _pass_on("prepare_release")
    free_memory = _pass_on("free_memory")
    edit = _pass_on("edit")
    write = _pass_on("write")
    batches = _pass_on("batches")
    native = _pass_on("native")
    distinct_text = _pass_on("distinct_text", "text_source")
    count_out_of_order = _pass_on("count_out_of_order", "text_source")
    fingerprint = _pass_on("fingerprint", "text_source")
    digest = _pass_on("digest", "text_source")
    with_labels = _pass_on("with_labels", "text_source")
    masked_counts = _pass_on("masked_counts", "text_source")
    rows_in_small_groups = _pass_on("rows_in_small_groups", "text_source")
