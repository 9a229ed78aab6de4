"""``HierarchyContract``: laws that every hierarchy keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lookalike.counts.level_table import TOP, LevelTable, Value
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.hierarchy import Hierarchy
from lookalike.verifier.labels.label_truth import covers


class HierarchyContract:
    """Override ``hierarchy``, and ``values``: values of a column that it takes."""

    @pytest.fixture
    def hierarchy(self) -> Hierarchy:
        raise NotImplementedError

    @pytest.fixture
    def values(self) -> Sequence[Value]:
        raise NotImplementedError

    def test_levels_nest_up_to_a_star(self, hierarchy: Hierarchy, values: Sequence[Value]) -> None:
        check_levels(hierarchy, values)

    def test_it_takes_a_column_without_values(self, hierarchy: Hierarchy) -> None:
        assert hierarchy.tabulate("column", []).leaves == 0

    def test_a_policy_file_can_hold_it(self, hierarchy: Hierarchy) -> None:
        written = hierarchy.to_dict()
        assert hierarchy.name in written
        assert set(written) <= {hierarchy.name, *hierarchy.options}
        assert from_dict(written) == hierarchy

    def test_by_value_each_value_alone_has_the_same_levels_and_labels(
        self, hierarchy: Hierarchy, values: Sequence[Value]
    ) -> None:
        if not hierarchy.by_value:
            pytest.skip("it does not say that labels depend on each value alone")
        together = hierarchy.tabulate("column", values)
        for leaf, value in enumerate(values):
            alone = hierarchy.tabulate("column", [value])
            assert alone.height == together.height
            for level in range(together.height + 1):
                label = together.labels[level][together.codes[leaf, level]]
                assert alone.labels[level][alone.codes[0, level]] == label

    def test_labels_are_true_of_their_values_and_of_no_others(
        self, hierarchy: Hierarchy, values: Sequence[Value]
    ) -> None:
        """By the verifier: a label is read off its text."""
        table = hierarchy.tabulate("column", values)
        is_true = covers(hierarchy)
        known = [(i, value) for i, value in enumerate(values) if not is_null(value)]
        for level in range(1, table.height):
            for leaf, _ in known:
                code = table.codes[leaf, level]
                label = table.labels[level][code]
                assert label is not None
                for other, value in known:
                    assert is_true(label, value) == (table.codes[other, level] == code)


def check_levels(hierarchy: Hierarchy, values: Sequence[Value]) -> LevelTable:
    """The levels of a hierarchy over these values, if they keep the laws."""
    assert isinstance(hierarchy, Hierarchy)
    table = hierarchy.tabulate("column", values)
    assert table.leaves == len(values)
    for level in range(table.height + 1):
        codes, labels = table.codes[:, level], table.labels[level]
        assert level == table.height or set(codes.tolist()) == set(range(len(labels)))
        assert level == 0 or len(set(labels)) == len(labels), "a label stands for one code"
        assert hierarchy.describe(level).strip()
        if level:
            below = table.codes[:, level - 1]
            pairs = set(zip(below.tolist(), codes.tolist(), strict=True))
            assert len(pairs) == len(set(below.tolist())), "levels nest"
            counted = np.zeros(len(labels), dtype=np.int64)
            for child, parent in pairs:
                counted[parent] += table.leaves_under[level - 1][child]
            assert (counted <= table.leaves_under[level]).all(), "no leaf is lost on the way up"
    for leaf, value in enumerate(values):
        shown = [table.labels[level][code] for level, code in enumerate(table.codes[leaf])]
        assert shown[-1] == TOP
        if is_null(value):
            assert set(shown[:-1]) == {None}
        else:
            assert shown[0] == text(value)
            assert None not in shown
    if table.order is not None:
        assert sorted(table.order.tolist()) == list(range(len(values)))
    return table
