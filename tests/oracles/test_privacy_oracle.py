"""The paper oracle, against the worked examples of the papers and against closed forms."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import privacy_oracle as paper
import pytest

# Li, Li and Venkatasubramanian 2007: Table 3 in three classes, salaries and diseases
SALARIES = [f"{n}k" for n in range(3, 12)]
SYSTEMS = {
    "respiratory infection": ("respiratory", ["flu", "pneumonia", "bronchitis"]),
    "vascular lung": ("respiratory", ["pulmonary edema", "pulmonary embolism"]),
    "stomach": ("digestive", ["gastric ulcer", "stomach cancer", "gastritis"]),
    "colon": ("digestive", ["colitis", "colon cancer"]),
}
DISEASES = {
    disease: [disease, organ, system, "respiratory and digestive"]
    for organ, (system, diseases) in SYSTEMS.items()
    for disease in diseases
}
DIVERSE = [  # their Table 4, 3-diverse
    (["3k", "4k", "5k"], ["gastric ulcer", "gastritis", "stomach cancer"]),
    (["6k", "11k", "8k"], ["gastritis", "flu", "bronchitis"]),
    (["7k", "9k", "10k"], ["bronchitis", "pneumonia", "stomach cancer"]),
]
CLOSE = [  # their Table 5, close
    (["3k", "5k", "9k"], ["gastric ulcer", "stomach cancer", "pneumonia"]),
    (["6k", "11k", "8k"], ["gastritis", "flu", "bronchitis"]),
    (["4k", "7k", "10k"], ["gastritis", "bronchitis", "stomach cancer"]),
]
# Machanavajjhala et al. 2006: the 4-anonymous inpatients of Figure 2, the 3-diverse of Figure 3
ANONYMOUS = [
    {"heart disease": 2, "viral infection": 2},
    {"cancer": 1, "heart disease": 1, "viral infection": 2},
    {"cancer": 4},
]
INPATIENTS = [
    {"heart disease": 1, "viral infection": 1, "cancer": 2},
    {"cancer": 1, "heart disease": 1, "viral infection": 2},
    {"heart disease": 1, "viral infection": 1, "cancer": 2},
]


def histograms(table, column):
    return [Counter(one[column]) for one in table]


def random_tables(count, letters="abcde"):
    """Tables of a few classes, now and then with a null, seeded by their number."""
    for seed in range(count):
        rng = random.Random(seed)
        values = [*letters[: rng.randint(1, len(letters))], *([None] if seed % 5 == 0 else [])]
        drawn = [rng.choices(values, k=rng.randint(1, 8)) for _ in range(rng.randint(1, 4))]
        yield [Counter(one) for one in drawn]


# --- the papers ---------------------------------------------------------------------------------


def test_three_diverse_inpatients():
    assert paper.distinct_l_of(ANONYMOUS) == 1
    assert paper.distinct_l_of(INPATIENTS) == 3
    assert paper.distinct_l_diverse(INPATIENTS, 3)
    assert not paper.distinct_l_diverse(INPATIENTS, 4)
    assert paper.entropy_l_of(INPATIENTS) == pytest.approx(2 * math.sqrt(2))  # 1/2, 1/4, 1/4
    assert paper.recursive_c_of(INPATIENTS, 2) == 1  # 2 / (1 + 1)
    assert paper.recursive_c_of(INPATIENTS, 3) == 2  # 2 / 1
    assert not paper.recursive_diverse(INPATIENTS, 2, 3)  # 2 < 2 * 1 does not hold
    assert paper.recursive_diverse(INPATIENTS, Fraction(21, 10), 3)
    assert not paper.recursive_diverse(INPATIENTS, 1000, 4)


def test_salaries_of_the_t_closeness_paper():
    classes = histograms(DIVERSE, 0)
    table, distance = paper.whole(classes), paper.ordered_distance(classes, SALARIES)
    assert paper.emd(Counter(["3k", "4k", "5k"]), table, distance) == Fraction(3, 8)  # 0.375
    assert paper.emd(Counter(["6k", "8k", "11k"]), table, distance) == Fraction(1, 6)  # 0.167
    assert paper.t_of(histograms(CLOSE, 0), distance) == Fraction(1, 6)  # "0.167-closeness"
    assert paper.t_close(histograms(CLOSE, 0), Fraction(1, 6), distance)
    assert not paper.t_close(histograms(DIVERSE, 0), Fraction(1, 6), distance)


def test_diseases_of_the_t_closeness_paper():
    distance = paper.hierarchical_distance(DISEASES)
    assert distance("flu", "flu") == 0
    assert distance("flu", "bronchitis") == Fraction(1, 3)
    assert distance("flu", "pulmonary embolism") == Fraction(2, 3)
    assert distance("flu", "stomach cancer") == 1
    by_hand = [Fraction(7, 27), Fraction(8, 27), Fraction(5, 27)]  # 1/3 a step, level by level
    classes = histograms(CLOSE, 1)
    assert [paper.emd(one, paper.whole(classes), distance) for one in classes] == by_hand
    assert paper.t_of(histograms(DIVERSE, 1), distance) > paper.t_of(histograms(CLOSE, 1), distance)


# --- closed forms -------------------------------------------------------------------------------


def test_transport_is_half_the_absolute_differences_when_all_are_equally_far():
    for classes in random_tables(100):
        table = paper.whole(classes)
        for one in classes:
            apart = sum(abs(paper.share(one, v) - paper.share(table, v)) for v in table)
            assert paper.emd(one, table, paper.equal_distance) == apart / 2


def test_transport_is_the_sum_of_running_differences_when_values_are_ordered():
    for classes in random_tables(100):
        table = paper.whole(classes)
        order = sorted(table, key=str)
        distance = paper.ordered_distance(classes, order)
        for one in classes:
            running, total = Fraction(0), Fraction(0)
            for value in order:
                running += paper.share(one, value) - paper.share(table, value)
                total += abs(running)
            assert paper.emd(one, table, distance) == total / max(len(order) - 1, 1)


def test_transport_is_what_cannot_stay_under_each_node_when_values_are_a_tree():
    parents = {"a": "A", "b": "A", "c": "B", "d": "B", "e": "C", None: "C"}
    higher = {"A": "AB", "B": "AB", "C": "C"}
    tree = {leaf: [leaf, parent, higher[parent], "*"] for leaf, parent in parents.items()}
    distance = paper.hierarchical_distance(tree)
    for classes in random_tables(100):
        table = paper.whole(classes)
        for one in classes:
            total = Fraction(0)
            for level in range(3):  # what leaves a node pays one more step up, a third of it
                excess = Counter()
                for value in table:
                    excess[tree[value][level]] += paper.share(one, value)
                    excess[tree[value][level]] -= paper.share(table, value)
                total += sum(abs(x) for x in excess.values()) / 2 / 3
            assert paper.emd(one, table, distance) == total


def test_transport_of_an_odd_cost_is_the_best_of_all_assignments():
    """Costs that are not a distance, and equal amounts: some permutation is a best transport."""
    for seed in range(50):
        rng = random.Random(seed)
        n = rng.randint(1, 5)
        work = [
            [Fraction(rng.randint(0, 9), rng.randint(1, 4)) for _ in range(n)] for _ in range(n)
        ]
        lots = [Fraction(1, n)] * n
        best = min(
            sum(work[i][j] for i, j in enumerate(order)) / n
            for order in itertools.permutations(range(n))
        )
        assert paper.cheapest_transport(lots, lots, work) == best


# --- by hand ------------------------------------------------------------------------------------


def test_entropy_l_diversity_of_even_classes_is_their_number_of_values():
    for n in range(1, 30):
        classes = [{f"v{i}": 2 for i in range(n)}]
        assert paper.entropy_l_diverse(classes, n)
        assert not paper.entropy_l_diverse(classes, n + 0.001)
        assert paper.entropy_l_of(classes) == pytest.approx(n)


def test_alpha_k_anonymity_asks_for_one_value_or_for_all():
    classes = [{"hiv": 1, "flu": 3}, {"flu": 2, None: 2}]
    assert paper.alpha_of(classes) == Fraction(3, 4)
    assert paper.alpha_of(classes, ["hiv"]) == Fraction(1, 4)
    assert paper.alpha_of(classes, [None]) == Fraction(1, 2)
    assert paper.alpha_k_anonymous(classes, Fraction(1, 4), 4, ["hiv"])
    assert not paper.alpha_k_anonymous(classes, Fraction(1, 4), 4)
    assert not paper.alpha_k_anonymous(classes, Fraction(1, 4), 5, ["hiv"])


def test_beta_likeness_by_hand():
    classes = [{"a": 1, "b": 1}, {"a": 2}]  # p: a 3/4, b 1/4
    assert paper.basic_beta_of(classes) == 1  # b, from 1/4 to 1/2
    assert paper.basic_beta_like(classes, 1)
    assert not paper.basic_beta_like(classes, Fraction(99, 100))
    assert paper.enhanced_beta_of(classes) == math.inf  # a gains 1/3, and -ln 3/4 is 0.288
    assert not paper.enhanced_beta_like(classes, 1000)
    mild = [{"a": 2, "b": 2}, {"a": 5, "b": 3}]  # p: a 7/12, b 5/12
    assert paper.enhanced_beta_of(mild) == paper.basic_beta_of(mild) == Fraction(1, 5)
    assert paper.enhanced_beta_like(mild, Fraction(1, 5))


def test_delta_disclosure_is_strict_and_misses_no_absent_value():
    classes = [{"a": 1, "b": 3}, {"a": 3, "b": 1}]  # p: 1/2 each
    assert paper.delta_of(classes) == pytest.approx(math.log(2))  # from 1/2 down to 1/4
    assert not paper.delta_disclosure_private(classes, paper.delta_of(classes))
    assert paper.delta_disclosure_private(classes, 0.7)
    assert paper.delta_of([{"a": 1}, {"b": 1}]) == math.inf
    assert not paper.delta_disclosure_private([{"a": 1}, {"b": 1}], 1000)


def test_delta_presence_looks_at_every_key_of_the_population():
    population = {"x": 4, "y": 2}
    assert paper.presence_of({"x": 1}, population) == (0, Fraction(1, 4))
    assert not paper.delta_present(
        {"x": 1}, population, Fraction(1, 4), 1
    )  # nobody of y is a member
    assert paper.delta_present({"x": 1, "y": 1}, population, Fraction(1, 4), Fraction(1, 2))
    assert not paper.delta_present({"x": 1, "y": 2}, population, Fraction(1, 4), Fraction(1, 2))
    assert not paper.delta_present({"z": 1}, population, 0, 1)


def test_k_map_counts_in_the_population():
    assert paper.k_map_of(["x", "y"], {"x": 3, "y": 5, "z": 1}) == 3
    assert paper.k_mapped(["x", "y"], {"x": 3, "y": 5, "z": 1}, 3)
    assert not paper.k_mapped(["x", "w"], {"x": 3}, 1)


def test_risks_by_hand():
    classes = [{"a": 1}, {"a": 2, "b": 1}]
    assert paper.average_risk_of(classes) == Fraction(1, 2)  # (1 + 3 * 1/3) / 4
    assert paper.highest_risk_of(classes) == 1
    assert paper.average_risk_kept(classes, Fraction(1, 2))
    assert not paper.highest_risk_kept(classes, Fraction(1, 2))


def test_km_anonymity_by_hand():
    baskets = [frozenset("ab"), frozenset("ab"), frozenset("bc"), frozenset("ac")]
    assert paper.km_of(baskets, 1) == 2  # c
    assert paper.km_of(baskets, 2) == 1  # b and c
    assert paper.km_anonymous(baskets, 2, 1)
    assert not paper.km_anonymous(baskets, 2, 2)


def test_a_table_without_rows_keeps_everything():
    assert paper.distinct_l_diverse([], 2)
    assert paper.entropy_l_diverse([], 2)
    assert paper.recursive_diverse([], 1, 2)
    assert paper.t_close([], 0, paper.equal_distance)
    assert paper.alpha_k_anonymous([], 0, 2)
    assert paper.enhanced_beta_of([]) == 0
    assert paper.delta_disclosure_private([], 0)
    assert paper.average_risk_kept([], 0)
    assert paper.km_anonymous([], 2, 2)
