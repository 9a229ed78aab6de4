"""The paper oracle: does a released table keep a requirement, by the words of its paper?

It is written from the definitions in the papers, the slow plain way, in fractions wherever a
fraction will do, and shares no code with the package it checks. The nouns:

classes      list of histograms, one per equivalence class over the quasi-identifiers: dict from a
             sensitive value (str or None, and None is a value like any other) to its rows. All
             classes together are the whole released table
p, q         the share of a value in the whole table, and in one class
distance     ground distance of the Earth Mover's Distance: distance(value, value) -> Fraction
ell          the papers' l, which is hard to tell from a 1

A function ``*_of`` measures: it returns the best parameter that the table has. The others say
whether the table keeps the requirement. A table without rows keeps everything. A parameter given
as a float means that very binary number; ask with a Fraction where a tie matters.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

Value = str | None
Histogram = Mapping[Value, int]
Distance = Callable[[Value, Value], Fraction]
Number = int | float | Fraction

SLACK = 1e-9  # an entropy this little short of log(l) still counts as log(l)


# --- tables and shares ----------------------------------------------------------------------------


def whole(classes: Iterable[Histogram]) -> dict[Value, int]:
    """The histogram of the whole table."""
    total: Counter[Value] = Counter()
    for histogram in classes:
        total.update(present(histogram))
    return dict(total)


def present(histogram: Histogram) -> dict[Value, int]:
    """The values that occur at all."""
    return {value: rows for value, rows in histogram.items() if rows > 0}


def sizes(classes: Iterable[Histogram]) -> list[int]:
    """The rows of each class; a class has at least one."""
    found = [sum(histogram.values()) for histogram in classes]
    assert all(found), "an equivalence class has rows"
    return found


def share(histogram: Histogram, value: Value) -> Fraction:
    """Which part of the rows has the value."""
    return Fraction(histogram.get(value, 0), sum(histogram.values()))


def pairs(classes: Sequence[Histogram]) -> list[tuple[Fraction, Fraction]]:
    """(p, q) for every class and every value of the whole table."""
    table = whole(classes)
    return [(share(table, value), share(one, value)) for one in classes for value in table]


# --- l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006) ---------------------


def distinct_l_of(classes: Sequence[Histogram]) -> float:
    """The fewest distinct values in a class."""
    return min((len(present(histogram)) for histogram in classes), default=math.inf)


def distinct_l_diverse(classes: Sequence[Histogram], ell: Number) -> bool:
    """Every class has at least l distinct values."""
    return distinct_l_of(classes) >= ell


def entropy(histogram: Histogram) -> float:
    """-sum q log q."""
    shares = [share(histogram, value) for value in present(histogram)]
    return -math.fsum(float(q) * math.log(q) for q in shares)


def entropy_l_of(classes: Sequence[Histogram]) -> float:
    """The largest real l with entropy >= log(l) in every class."""
    return math.exp(min((entropy(histogram) for histogram in classes), default=math.inf))


def entropy_l_diverse(classes: Sequence[Histogram], ell: Number) -> bool:
    """The entropy of every class is at least log(l), for a real l >= 1."""
    return all(entropy(histogram) >= math.log(ell) - SLACK for histogram in classes)


def recursive_c_of(classes: Sequence[Histogram], ell: int) -> Fraction | float:
    """The largest r1 / (r_l + ... + r_m); c must be larger. Infinite where a tail is empty."""
    assert ell >= 1
    worst: Fraction | float = Fraction(0)
    for histogram in classes:
        counts = sorted(present(histogram).values(), reverse=True)
        tail = sum(counts[ell - 1 :])
        worst = max(worst, Fraction(counts[0], tail) if tail else math.inf)
    return worst


def recursive_diverse(classes: Sequence[Histogram], c: Number, ell: int) -> bool:
    """r1 < c (r_l + ... + r_m) in every class, the counts r sorted from large to small."""
    assert ell >= 1
    for histogram in classes:
        counts = sorted(present(histogram).values(), reverse=True)
        if not counts[0] < Fraction(c) * sum(counts[ell - 1 :]):
            return False
    return True


# --- t-closeness (Li, Li and Venkatasubramanian 2007) ---------------------------------------------


def equal_distance(a: Value, b: Value) -> Fraction:
    """1 between different values."""
    return Fraction(int(a != b))


def ordered_distance(classes: Iterable[Histogram], order: Sequence[Value]) -> Distance:
    """|i - j| / (m - 1), i and j the ranks among the m values of the whole table."""
    table = whole(classes)
    rank = {value: i for i, value in enumerate(value for value in order if value in table)}
    assert rank.keys() == table.keys(), "the order names every value of the table"
    steps = max(len(rank) - 1, 1)
    return lambda a, b: Fraction(abs(rank[a] - rank[b]), steps)


def hierarchical_distance(tree: Mapping[Value, Sequence[str | None]]) -> Distance:
    """level(lowest common ancestor) / height.

    The tree is given as leaf -> [leaf, parent, ..., root], each path as long as the others.
    """
    lengths = {len(path) for path in tree.values()}
    assert len(lengths) == 1, "every leaf is as far from the root as the others"
    height = max(lengths.pop() - 1, 1)

    def distance(a: Value, b: Value) -> Fraction:
        level = next(i for i in range(len(tree[a])) if tree[a][i:] == tree[b][i:])
        return Fraction(level, height)

    return distance


def emd(one: Histogram, other: Histogram, distance: Distance) -> Fraction:
    """The Earth Mover's Distance between two distributions: the least work of any transport."""
    sources, sinks = list(present(one)), list(present(other))
    supply = [share(one, value) for value in sources]
    demand = [share(other, value) for value in sinks]
    work = [[distance(a, b) for b in sinks] for a in sources]
    return cheapest_transport(supply, demand, work)


def cheapest_transport(
    supply: Sequence[Fraction], demand: Sequence[Fraction], work: Sequence[Sequence[Fraction]]
) -> Fraction:
    """The transportation problem, exactly: successive shortest paths in the residual graph.

    Everything is scaled to whole numbers first. A path runs from any source that has something
    left to any sink that lacks something, forward along every lane and backward along lanes in
    use; ``toll`` holds the potentials that keep lengths from being negative (Dijkstra).
    """
    assert sum(supply) == sum(demand)
    lots = math.lcm(*(x.denominator for x in (*supply, *demand)))
    units = math.lcm(*(x.denominator for row in work for x in row))
    left, lacking = [int(x * lots) for x in supply], [int(x * lots) for x in demand]
    cost = [[int(x * units) for x in row] for row in work]
    n, m = len(left), len(lacking)
    flow = [[0] * m for _ in range(n)]
    toll = [0] * (n + m)  # sources first, then sinks
    while any(left):
        far: list[float] = [0 if i < n and left[i] else math.inf for i in range(n + m)]
        before = [-1] * (n + m)
        todo = set(range(n + m))
        while todo:
            here = min(todo, key=far.__getitem__)
            todo.remove(here)
            if far[here] == math.inf:
                break
            if here < n:
                steps = [(n + j, cost[here][j]) for j in range(m)]
            else:
                steps = [(i, -cost[i][here - n]) for i in range(n) if flow[i][here - n]]
            for there, length in steps:
                reached = far[here] + length + toll[here] - toll[there]
                if reached < far[there]:
                    far[there], before[there] = reached, here
        reachable = [n + j for j in range(m) if lacking[j] and far[n + j] < math.inf]
        end = min(reachable, key=lambda node: far[node] + toll[node])
        toll = [old + int(d) if d < math.inf else old for old, d in zip(toll, far, strict=True)]
        path = [end]
        while before[path[0]] >= 0:
            path.insert(0, before[path[0]])
        back = [flow[b][a - n] for a, b in itertools.pairwise(path) if a >= n]
        amount = min(left[path[0]], lacking[end - n], *back)
        left[path[0]] -= amount
        lacking[end - n] -= amount
        for a, b in itertools.pairwise(path):
            if a < n:
                flow[a][b - n] += amount
            else:
                flow[b][a - n] -= amount
    total = sum(flow[i][j] * cost[i][j] for i in range(n) for j in range(m))
    return Fraction(total, lots * units)


def t_of(classes: Sequence[Histogram], distance: Distance) -> Fraction:
    """The largest Earth Mover's Distance between a class and the whole table."""
    table = whole(classes)
    return max((emd(one, table, distance) for one in classes), default=Fraction(0))


def t_close(classes: Sequence[Histogram], t: Number, distance: Distance) -> bool:
    """No class is further than t from the whole table."""
    return t_of(classes, distance) <= t


# --- (alpha,k)-anonymity (Wong, Li, Fu and Wang 2006) ---------------------------------------------


def k_of(classes: Sequence[Histogram]) -> float:
    """The rows of the smallest class."""
    return min(sizes(classes), default=math.inf)


def alpha_of(classes: Sequence[Histogram], values: Collection[Value] | None = None) -> Fraction:
    """The largest share in a class of one of these values; of any value if none are named."""
    asked = whole(classes) if values is None else values
    return max((share(one, value) for one in classes for value in asked), default=Fraction(0))


def alpha_k_anonymous(
    classes: Sequence[Histogram],
    alpha: Number,
    k: int,
    values: Collection[Value] | None = None,
) -> bool:
    """Every class has k rows or more, and none of the values has more than alpha of a class."""
    return k_of(classes) >= k and alpha_of(classes, values) <= alpha


# --- beta-likeness (Cao and Karras 2012) ----------------------------------------------------------


def basic_beta_of(classes: Sequence[Histogram]) -> Fraction:
    """The largest (q - p) / p where q > p."""
    return max(((q - p) / p for p, q in pairs(classes) if q > p), default=Fraction(0))


def basic_beta_like(classes: Sequence[Histogram], beta: Number) -> bool:
    """(q - p) / p <= beta wherever q > p."""
    return all((q - p) / p <= beta for p, q in pairs(classes) if q > p)


def enhanced_beta_of(classes: Sequence[Histogram]) -> Fraction | float:
    """The least beta that the table keeps; infinite where no beta helps, as -ln p is too small."""
    worst: Fraction | float = basic_beta_of(classes)
    return worst if enhanced_beta_like(classes, worst) else math.inf


def enhanced_beta_like(classes: Sequence[Histogram], beta: Number) -> bool:
    """(q - p) / p <= min(beta, -ln p) wherever q > p.

    The logarithm of a fraction other than 1 is never a fraction, so there is no tie to decide.
    """
    return all((q - p) / p <= min(beta, -math.log(p)) for p, q in pairs(classes) if q > p)


# --- delta-disclosure privacy (Brickell and Shmatikov 2008) ---------------------------------------


def delta_of(classes: Sequence[Histogram]) -> float:
    """The largest |ln(q / p)|; delta must be larger. Infinite where a class lacks a value."""
    gains = (abs(math.log(q / p)) if q else math.inf for p, q in pairs(classes))
    return max(gains, default=0.0)


def delta_disclosure_private(classes: Sequence[Histogram], delta: Number) -> bool:
    """|ln(q / p)| < delta for every value of the whole table in every class."""
    return all(q > 0 and abs(math.log(q / p)) < delta for p, q in pairs(classes))


# --- presence in a population ---------------------------------------------------------------------


def presence_of(
    members: Mapping[Hashable, int], population: Mapping[Hashable, int]
) -> tuple[Fraction, Fraction | float]:
    """The least and the largest members / population over the keys of the population.

    Infinite where there are members of a key that the population does not have.
    """
    shares = [Fraction(members.get(key, 0), n) for key, n in population.items() if n]
    strangers = any(rows for key, rows in members.items() if not population.get(key))
    lowest = min(shares, default=Fraction(0))
    return lowest, math.inf if strangers else max(shares, default=Fraction(0))


def delta_present(
    members: Mapping[Hashable, int],
    population: Mapping[Hashable, int],
    lowest: Number,
    highest: Number,
) -> bool:
    """delta_min <= members / population <= delta_max for every key of the population.

    Nergiz, Atzori and Clifton 2007: how likely it is that someone of the public table is in the
    research table.
    """
    if any(rows for key, rows in members.items() if not population.get(key)):
        return False
    found = [Fraction(members.get(key, 0), n) for key, n in population.items() if n]
    return all(lowest <= one <= highest for one in found)


def k_map_of(released: Iterable[Hashable], population: Mapping[Hashable, int]) -> float:
    """The fewest rows of the population that a released class may come from."""
    return min((population.get(key, 0) for key in released), default=math.inf)


def k_mapped(released: Iterable[Hashable], population: Mapping[Hashable, int], k: int) -> bool:
    """Every released class key has k rows or more in the population (Sweeney 2002)."""
    return k_map_of(released, population) >= k


# --- re-identification risk -----------------------------------------------------------------------


def average_risk_of(classes: Sequence[Histogram]) -> Fraction:
    """The mean over rows of 1 / (rows of its class), which is classes / rows."""
    rows = sum(sizes(classes))
    return Fraction(len(classes), rows) if rows else Fraction(0)


def average_risk_kept(classes: Sequence[Histogram], threshold: Number) -> bool:
    """On average a row is picked out with at most this probability."""
    return average_risk_of(classes) <= threshold


def highest_risk_of(classes: Sequence[Histogram]) -> Fraction:
    """1 / (rows of the smallest class)."""
    return max((Fraction(1, rows) for rows in sizes(classes)), default=Fraction(0))


def highest_risk_kept(classes: Sequence[Histogram], threshold: Number) -> bool:
    """No row is picked out with more than this probability."""
    return highest_risk_of(classes) <= threshold


# --- k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008) -----------------------------------------


def km_of(transactions: Sequence[frozenset[str]], m: int) -> float:
    """The fewest transactions that share a set of at most m items which one of them holds.

    Knowing nothing is knowing at most m items, so the empty set counts: all transactions hold it.
    """
    known = {
        frozenset(some)
        for items in transactions
        for count in range(m + 1)
        for some in itertools.combinations(sorted(items), count)
    }
    return min((sum(some <= items for items in transactions) for some in known), default=math.inf)


def km_anonymous(transactions: Sequence[frozenset[str]], k: int, m: int) -> bool:
    """Every set of at most m items that some transaction holds is held by k or more."""
    return km_of(transactions, m) >= k
