"""Check a release of lookalike without lookalike: one file, only Python's standard library.

    python check_release.py release.csv [release.csv.certificate.json]
        [--original original.csv --policy policy.toml --solution solution.json]

Exit codes: 0 all holds; 1 an unreadable file; 2 wrong usage; 4 a check failed; 5 ``lookalike verify`` checks more.
"""

import argparse
import json
import math
import re
import sys
import tomllib
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path

# Part 1: files
ROUNDING = 1e-9  # numbers closer than this count as equal
FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\Z)')
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
DATUM = re.compile(r"(?!(19|20)\d\d$)[+-]?\d+([.,]\d+)?|\d{4}-\d{1,2}-\d{1,2}.*")  # not the name of a column


class Table:  # a CSV file in UTF-8 with commas; an empty field is a null (None), "" is the empty text
    def __init__(self, path):
        text, records, record, at, ends = Path(path).read_bytes().decode("utf-8-sig"), [], [], 0, set()
        while at < len(text) or record:
            match = FIELD.match(text, at)
            if match is None or "\0" in match[0]:
                raise OSError(f"{path}: record {len(records) + 1} is not CSV with commas")
            quoted, unquoted, end = match.groups()
            record.append((unquoted or None) if quoted is None else quoted.replace('""', '"'))
            at, ends = match.end(), {*ends, end}
            if end != ",":
                records.append(tuple(record))
                record = []
        names = records[0] if records else (None,)
        wrong = not all(names) or any(DATUM.fullmatch(name.strip()) for name in names) or {"\n", "\r\n"} <= ends
        if wrong or len({*map(str.casefold, names)}) < len(names) or {*map(len, records)} != {len(names)}:
            raise OSError(f"{path}: no line of names, names alike, or records that differ in length")
        self.names, self.rows, self.counts = list(names), records[1:], Counter(records[1:])

    def digest(self):
        """SHA-256 over the sorted distinct rows with their numbers, in parts of 65,536."""
        entries = []
        for row in sorted(self.counts, key=lambda row: [(c is None, (c or "").encode()) for c in row]):
            cells = [b"-" if c is None else b"%d:%s" % (len(c.encode()), c.encode()) for c in row]
            entries.append(b"%d=" % self.counts[row] + b"".join(cells))
        about = [self.names, len(self.rows), len(entries)]
        lines = [json.dumps(about, ensure_ascii=False, separators=(",", ":"))]
        for start in range(0, len(entries), 65_536):
            lines.append(sha256(b"".join(entries[start : start + 65_536])).hexdigest())
        return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()

    def is_sorted(self):
        """By the first column, ties by the second …; each column by its text or by its numbers."""
        for i in range(len(self.names) if self.rows else 0):
            cells = [row[i] for row in self.rows]
            tied = [j for j, (a, b) in enumerate(pairwise(self.rows)) if a[:i] == b[:i]]
            readings = [[(c is None, c or "") for c in cells]]  # nulls are last
            if all(cell is None or NUMBER.fullmatch(cell.strip()) for cell in cells):
                readings.append([(c is None, float(c or 0)) for c in cells])
            if not any(all(keys[j] <= keys[j + 1] for j in tied) for keys in readings):
                return False
        return True

    def classes(self, columns):
        """{labels: {row: how often}} of the rows that show the same in these columns."""
        by, classes = [self.names.index(name) for name in columns], {}
        for row, n in self.counts.items():
            classes.setdefault(tuple(row[i] for i in by), {})[row] = n
        return classes


def read_json(path, kind):
    hooks = {"parse_constant": int, "parse_int": lambda d: int(d if abs(int(d)) < 2**63 else "too large")}
    hooks["object_pairs_hook"] = lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else int("twice")
    content = json.loads(Path(path).read_bytes().decode(), **hooks)
    json.dumps(content, ensure_ascii=False, allow_nan=False).encode()  # it and int refuse what has several meanings
    if not isinstance(content, dict) or content.get("format") != f"lookalike {kind}":
        raise OSError(f"{path}: this is not a file of the format 'lookalike {kind}'")
    return content


# Part 2: sentences of a certificate
CLASS = "equivalence class (group of lookalikes)"
L, WORST, MOST = "l_diversity", "the least diverse class ", "the most frequent value of a class "
RULES = {  # name: key and parameters in a policy, the measure of the worst class, the promise
    "k-anonymity": ("k_anonymity", "k", min, "the smallest of {classes:,} classes has {0:,} rows",
        "{k}-anonymity: every released row shares its quasi-identifiers with at least {others} other released "
        "row{plural}"),
    "maximum risk": ("max_risk", "risk", min, "the smallest class has {:,.0f} rows",
        "maximum risk {risk:g} (k = {smallest}): an outsider who knows that a person is in the release finds the "
        "person's row with a chance of at most {risk:g}"),
    "average risk": ("average_risk", "risk", max, "the average risk is {:.4g}",
        "average risk {risk:g}: an outsider who guesses is expected to re-identify at most a share of {risk:g} of the"
        " released rows"),
    "distinct l-diversity": (L + " distinct", "column l kind", min, WORST + "has {:,.0f} values",
        "distinct {l}-diversity: every {CLASS} holds at least {l} different values of {column}"),
    "entropy l-diversity": (L + " entropy", "column l kind", min, WORST + "is as uncertain as {:.4g} values",
        "entropy {l:g}-diversity: in every {CLASS} the values of {column} are at least as uncertain as {l:g} equally "
        "frequent values"),
    "recursive (c,l)-diversity": (L + " recursive", "column l kind c", max, WORST + "needs a c above {:.4g}",
        "recursive ({c:g},{l})-diversity: in every {CLASS} the most frequent value of {column} has fewer than {c:g} "
        "times as many rows as the {l}{ordinal} most frequent and all rarer values together"),
    "(α,k)-anonymity": ("alpha_k", "column alpha k value", max, MOST + "has a share of {:.4g}",
        "({alpha:g},{k})-anonymity: every {CLASS} has at least {k} rows, and at most a share of {alpha:g} of them "
        "hold {what} of {column}"),
    "β-likeness": ("beta_likeness", "column beta kind", max, "the largest gain in a class is {:.4g}",
        "{kind} {beta:g}-likeness: in every {CLASS} the share of each value of {column} exceeds its share p in the "
        "whole release by at most {limit} times p"),
    "δ-disclosure privacy": ("delta_disclosure", "column delta", max, "the largest log-ratio in a class is {:.4g}",
        "{delta:g}-disclosure privacy: in every {CLASS} the share of each value of {column} differs from its share in"
        " the whole release by less than a factor of {factor:.4g} (e to the power {delta:g})"),
    "t-closeness": ("t_closeness", "column t distance", max, "the largest distance of a class is {:.4g}",
        "{t:g}-closeness: in every {CLASS} the distribution of {column} is within {t:g} of its distribution in the "
        "whole release, where any two different values are equally far apart"),
}  # fmt: skip
FINDINGS = {  # beside those on the requirements
    "columns": "The release has the columns {columns}; no column declared an identifier is in it.",
    "truthful": "Every released row is a row of the original, recoded as stated.",
    "rows": "{released:,} released rows and {dropped:,} suppressed rows add up to the {all:,} rows of the original.",
    "suppressed": "{suppressed:,} rows are suppressed; the policy allows {allowed:,}.",
    "order": "The rows are sorted, so their order reveals nothing.",
    "labels": "Every label is true of the values it stands for.", "cost": "Recomputed: {cost}.",
    "eligible": "{all:,} of {table:,} rows of the table were eligible, by {by}.",
}  # fmt: skip
COSTS = {
    "precision": "Prec {rest:.4f} (1 is the original table, 0 is nothing but *)",
    "loss": "loss {cost:.4f} (0 is the original table, 1 is nothing but *)",
    "loss-geometric": "loss {cost:.4f}, combined by a geometric mean over columns (0 is the original table, 1 is "
        "nothing but *)",
    "discernibility": "discernibility {cost:,.0f} (pairs of rows that cannot be distinguished)",
    "classification": "classification {cost:,.0f} (rows whose {column} is not the most frequent in their equivalence "
        "class, and suppressed rows)",
    "class-size": "class size {cost:,.1f} (average rows of an equivalence class)",
    "entropy": "non-uniform entropy {cost:.4f} bits per cell (0 is the original table)",
    "height": "height {cost:.0f} (generalization steps over all columns)",
}  # fmt: skip
PROOFS = {
    "support bound": "the lowest cost of each row in any group of k rows",
    "nearest rows": "the cost of each row in a class with its (k − 1)-th nearest row alone",
    "dual prices": "dual prices of the rows: the price of no class is above its cost",
    "enumeration": "dual prices of the rows, and a new search among all classes whose cost is close to their price",
}
SUPPRESSED, FIX = "suppressed (*)", "do not share this table; make the release again from the original"
BEST = "No {recoding} that meets this policy has a lower {metric} cost; "
PRIVATE = "the proof depends on suppressed rows, so the data holder keeps it with the solution."
MEETS = "This recoding meets the policy. "
NO_BOUND = "How far it is from the best is not known: the search has no useful lower bound on the {metric} cost."
BOUND = "No {recoding} that does has a {metric} cost below {bound:.6g}: {saved} could be saved."
NO_NUMBERS = "How much less {metric} cost another {recoding} could have depends on suppressed rows, so the data holder "
NO_NUMBERS += "keeps the bound with the solution."


# Part 3: requirements
DEFAULTS = {L: {"kind": "distinct"}, "t_closeness": {"distance": "equal"}, "beta_likeness": {"kind": "basic"}}
LIMITS = {"k": (2, math.inf), "l": (1, math.inf), "t": (0, 1), "risk": (1e-300, 1)}
LIMITS |= {"alpha": (1e-300, 1)} | dict.fromkeys(("c", "beta", "delta"), (1e-300, math.inf))


def read_rules(section, whole=False):
    """The requirements as dicts of parameters; ValueError if wrong. A certificate has them ``whole``."""
    rules = []
    for key, given in section.items():
        for spec in given if given and isinstance(given, list) else [given]:
            rule = {"value": None, **DEFAULTS.get(key, {}), **(spec if isinstance(spec, dict) else {})}
            kind = rule.get("kind")
            name = next((name for name, known in RULES.items() if known[0] in (key, f"{key} {kind}")), "")
            parameters = {*(RULES[name][1].split() if name else ())}
            rule |= dict.fromkeys(parameters, spec) if len(parameters) == 1 else {}
            if not name or rule.keys() - {"value", *parameters} or rule.get("distance", "equal") != "equal":
                raise NotImplementedError(f"the requirement {key}, or this form of it")
            lacks = whole and len(parameters) > 1 and {"value", *spec} != {"value", *parameters}
            if lacks or (key == "beta_likeness" and kind not in ("basic", "enhanced")):
                raise ValueError("a parameter is missing or wrong")
            for part in LIMITS.keys() & rule.keys():
                (low, high), is_whole = LIMITS[part], part == "k" or (part == "l" and kind != "entropy")
                right = type(rule[part]) in ((int,) if is_whole else (int, float))
                if not right or not low <= rule[part] <= (0.5 if key == "max_risk" else high):
                    raise ValueError(f"{part} is not a number in its range")
            risk = rule["risk"] if key == "max_risk" else rule.get("alpha", 1)
            least = [rule.get("k", 1), rule.get("l", 1), 1 / risk if rule["value"] is None else 1]
            rules.append(rule | {"name": name, "smallest": math.ceil(max(least) - ROUNDING)})
    return rules


def promise(rule):
    k, length, beta = rule.get("k", 0), int(rule.get("l", 0)), f"{rule.get('beta', 0):g}"
    last = 0 if length % 100 in (11, 12, 13) else length % 10
    words = {"others": k - 1, "plural": "s" * (k > 2), "ordinal": {1: "st", 2: "nd", 3: "rd"}.get(last, "th")}
    words["what"] = "the same value" if rule["value"] is None else f"the value {rule['value']}"
    words["limit"] = beta if rule.get("kind") == "basic" else f"min({beta}, −ln p)"
    words["factor"] = math.exp(min(700, rule.get("delta", 0)))
    return RULES[rule["name"]][4].format(CLASS=CLASS, **rule, **words)


def judge(rule, held, total):
    """The measure of a class with the values ``held`` of all in ``total``; does it break the rule?"""
    name, counts = rule["name"], sorted(held.values(), reverse=True)
    size, rows = sum(counts), sum(total.values())
    q = {value: held.get(value, 0) / size for value in total}  # the share in the class
    p = {value: count / rows for value, count in total.items()}  # the share in the release
    if name == "distinct l-diversity":
        return len(held), len(held) < rule["l"]
    if name == "entropy l-diversity":
        entropy = -sum(c / size * math.log(c / size) for c in counts)
        return math.exp(entropy), entropy < math.log(rule["l"]) - ROUNDING
    if name == "recursive (c,l)-diversity":
        tail = sum(counts[rule["l"] - 1 :])
        return counts[0] / tail if tail else math.inf, counts[0] >= rule["c"] * tail - ROUNDING
    if name == "(α,k)-anonymity":
        most = counts[0] if rule["value"] is None else held.get(rule["value"], 0)
        return most / size, size < rule["k"] or most > rule["alpha"] * size + ROUNDING
    if name == "β-likeness":
        gain = {v: (q[v] - p[v]) / p[v] for v in p}
        limit = {v: -math.log(p[v]) if rule["kind"] == "enhanced" else math.inf for v in p}
        broken = any(q[v] > p[v] and gain[v] > min(rule["beta"], limit[v]) + ROUNDING for v in p)
        return max(0.0, *gain.values()), broken
    if name == "δ-disclosure privacy":
        apart = max(abs(math.log(q[v] / p[v])) if q[v] else math.inf for v in p)
        return apart, apart >= rule["delta"] - ROUNDING
    return (moved := sum(abs(q[v] - p[v]) for v in p) / 2), moved > rule["t"] + ROUNDING  # t-closeness


def check_rules(report, table, rules, sets, stars):
    """Every rule over every set of columns; returns the findings that a certificate must have."""
    findings = []
    for columns in sets:
        over = f" over {', '.join(columns)}" if len(sets) > 1 else ""
        classes = table.classes(columns)
        sizes = {label: sum(rows.values()) for label, rows in classes.items()}
        for rule in rules:
            name, judged = rule["name"], {label: (size, size < rule["smallest"]) for label, size in sizes.items()}
            if "column" in rule:
                at, held = table.names.index(rule["column"]), {label: Counter() for label in classes}
                for label, row in ((label, row) for label, rows in classes.items() for row in rows):
                    held[label][row[at]] += classes[label][row]
                total = sum(held.values(), Counter())
                judged = {label: judge(rule, values, total) for label, values in held.items()}
            # where * is a wildcard, rows of nothing but * need no lookalikes
            judged = {c: j for c, j in judged.items() if stars == "own" or set(c) != {"*"}}
            worst, words = RULES[name][2:4]
            value = round(worst((measure for measure, _ in judged.values()), default=0), 9)
            holds = not any(broken for _, broken in judged.values())
            if name == "average risk":
                value = len(classes) / max(1, len(table.rows))
                holds = value <= rule["risk"] + ROUNDING
            measured = "the table is empty" if name == "k-anonymity" else "there is no class to check"
            if judged or (name == "average risk" and table.rows):
                measured = words.format(value, classes=len(judged))
            findings.append((name, f"{promise(rule)}{over}; {measured}."))
            report.add(name, holds, findings[-1][1])
    return findings


# Part 4: a release and its certificate
ROLES = {"quasi-identifier", "identifier", "sensitive", "insensitive", "pseudonym"}
MODELS = (None, "AG_TS", "TS", "AG_AS", "AG_CS", "AG_", "CG_CS", "CG_", "AS", "CS")
SPACES = {s: f"{s} recoding" for s in ("full-domain", "cell-level")} | {"cuts": "recoding by cuts"}
COUNTS = ("original", "suppressed", "allowed", "released", "classes", "table")
CONVENTIONS = {"nulls": ("value", "refuse"), "stars": ("own", "wildcard")}
CONVENTIONS |= {"suppressed": ("drop", "star"), "order": ("rows are sorted by every released column",)}


def check_certificate(report, table, content):  # all that follows from the release, or from its other parts
    if "sampling" in content:
        raise NotImplementedError("a release with differential privacy")
    numbers, columns, conventions = content["rows"], content["columns"], content["conventions"]
    original, suppressed, sets = numbers["original"], numbers["suppressed"], content["linking"]
    model, eligible, claim = content["model"], content["eligible"], content["claim"]
    roles = {name: facts["role"] for name, facts in columns.items()}
    quasi, named = [n for n, role in roles.items() if role == "quasi-identifier"], {n for group in sets for n in group}
    dropped = suppressed if conventions["suppressed"] == "drop" else 0
    said = content["verified"] is True and type(content["made_with"]) is str and type(claim["seed"]) is int
    said = said and all(f["holds"] is True and f["fix"] == FIX and len(f) == 4 for f in content["findings"])
    whole = bool(content["require"] and sets) and all(isinstance(g, list) and g for g in sets)
    whole = whole and len(named) == sum(map(len, sets)) and named <= {*quasi} and model in MODELS
    whole = whole and all(conventions[key] in known for key, known in CONVENTIONS.items())
    whole = whole and {*roles.values()} <= ROLES and {*eligible} <= {*columns} and eligible == sorted({*eligible})
    whole = whole and {type(numbers.get(key, 0)) for key in COUNTS} == {int} and bool(eligible) == ("table" in numbers)
    whole = whole and {type(claim[key]) for key in ("status", "sentence", "space", "metric", "algorithm")} == {str}
    report.add("certificate", said and whole, "It is complete, and says that all checks passed")
    kept = {name for name, role in roles.items() if role != "identifier"}
    report.add("columns", set(table.names) == kept, "The columns are those on the certificate")
    report.add("digest", table.digest() == content["release_digest"], "The rows are exactly those certified")
    right = 0 <= suppressed <= original == numbers["released"] + dropped and original <= numbers.get("table", original)
    right &= len(table.rows) == numbers["released"] and suppressed <= numbers["allowed"] * (model in MODELS[:3])
    report.add("rows", right, f"{len(table.rows):,} rows, and the numbers of rows add up")
    report.add("order", table.is_sorted(), FINDINGS["order"])
    if set(table.names) != kept:
        return
    rules, stars = read_rules(content["require"], whole=True), conventions["stars"]
    excepted = "; rows that show only * are excepted" if stars == "wildcard" else ""
    alone = ", over {} alone, not together with other columns" if sets != [quasi] else ""
    said = [promise(rule) + alone.format(", ".join(g)) + excepted for g in sets for rule in rules]
    report.add("promise", content["promise"] == said, "What is promised is what is required")
    judged, classes = check_rules(report, table, rules, sets, stars), table.classes(quasi)
    count = len(classes) - (dropped < suppressed and sum(classes.get(("*",) * len(quasi), {}).values()) <= suppressed)
    report.add("classes", count == numbers["classes"], f"{count:,} classes, as the certificate says")
    wrong = [name for name in columns if not shows(report, name, table, content)]
    report.add("shown", not wrong, f"Columns show what is said of them; failed: {wrong or 'none'}")
    smallest = max(rule["smallest"] for rule in rules)
    for name, facts in content["accepted"].items():  # kept columns that can help to find people
        risk = sum(n for rows in table.classes([*quasi, name]).values() if (n := sum(rows.values())) < smallest)
        typed = {*map(type, facts.values())} == {str, int} and roles[name] in ("sensitive", "insensitive")
        right = typed and facts == {"reason": facts["reason"].strip() and facts["reason"], "rows_at_risk": risk}
        report.add("accepted", right and facts["reason"], f"The rows at risk by {name} are as many as it says")
    if content.get("packages") or "guarantee" in claim:
        raise NotImplementedError("definitions of other packages, or the guarantee of a theorem")
    report.add("claim", follows(claim, content), "The claim follows from the other parts of the certificate")
    sizes = [sum(rows.values()) for rows in classes.values()]
    pairs = sum(n * (n if n >= smallest else original) for n in sizes) + original * suppressed
    costs = {"discernibility": pairs, "class-size": original / max(1, len(sizes) + (suppressed > 0))}
    costs = {} if dropped < suppressed or any("by_interval" in facts for facts in columns.values()) else costs
    if suppressed and claim["metric"] == "height":
        costs["height"] = sum(columns[name]["level"] for name in quasi)
    if (cost := costs.get(claim["metric"])) is not None:  # it follows from the release
        report.add("cost", claim["cost"] == float(f"{cost:.10g}"), "The cost is that of the released rows")
    written = [(finding["check"], finding["sentence"]) for finding in content["findings"]]
    words = dict(numbers, all=original, dropped=dropped, columns=", ".join(table.names), by=", ".join(eligible))
    cost, metric = claim.get("cost", 0), claim["metric"]
    costs = [COSTS[metric].format(cost=cost, rest=1 - cost, column=name) for name in columns]  # about any of them
    costs = costs if "cost" in claim else [f"{metric} cost, which depends on suppressed rows"]
    words["cost"] = next((text for text in costs if ("cost", f"Recomputed: {text}.") in written), "")
    shown = [(check, FINDINGS[check].format_map(words)) for check in FINDINGS if check != "eligible" or eligible]
    shown.insert(7, ("optimality" if claim["status"] == "optimal" else "bound", claim["sentence"]))
    expected = [*shown[:4], *judged, *shown[4:]]
    same = {*expected} <= {*written} if "pseudonym" in roles.values() else expected == written
    report.add("findings", same, "The findings on the certificate are those made here")


def follows(claim, content):
    """Do sentence and gap of a claim follow from its other parts?"""
    is_cuts, optimal = claim["space"] == "cuts", claim["status"] == "optimal"
    words = {"recoding": SPACES[claim["space"]], "metric": claim["metric"]}
    fits = claim["status"] in ("optimal", "feasible") and is_cuts == ("cuts" in content["conventions"])
    if not fits or (is_cuts and content["model"]):
        return False
    if content["rows"]["suppressed"]:  # some numbers could tell about these rows
        right = (BEST + PRIVATE if optimal else MEETS + NO_NUMBERS).format(**words)
        return claim["sentence"] == right and not {"bound", "gap", "bound_by", "proof_size"} & claim.keys()
    cost, bound, gap, by, size = (claim[key] for key in ("cost", "bound", "gap", "bound_by", "proof_size"))
    typed = {type(cost), type(gap), type(bound)} <= {int, float, type(None)} and type(size) in (int, type(None))
    if not typed or by not in (*PROOFS, "nodes", "tree", "boxes") or (size is None) != (by in PROOFS):
        return False
    if optimal:
        counted = {0: "the metric alone, without counting", 1: "one counted node"}.get(size, f"{size} counted nodes")
        ends = "one end" if size == 1 else f"{size or 0:,} ends, each"
        trees = {"tree": f"a search tree over cuts with {ends} closed by a bound"}
        trees["boxes"] = f"a tree of boxes of the lattice with {ends} closed by counted nodes"
        sentence = f"{BEST.format(**words)}this is proved by {(PROOFS | trees | {'nodes': counted})[by]}."
        return cost == bound and gap == 0 and claim["sentence"] == sentence
    bound = -math.inf if bound is None else bound
    lost = 0.0 if cost <= bound or cost == 0 else min(1.0, (cost - bound) / abs(cost))
    saved = f"at most {lost:.1%}" if lost >= 0.001 else "less than 0.1%"
    text = MEETS + (NO_BOUND if lost >= 0.999 else BOUND).format(saved=saved, bound=bound, **words)
    return bound <= cost + ROUNDING * max(1.0, abs(cost)) and (claim["sentence"], gap) == (text, float(f"{lost:.10g}"))


def shows(report, name, table, content):
    """Does a column show what the certificate says, as far as its labels tell?"""
    facts, space = content["columns"][name], content["claim"]["space"]
    shown, level, height = facts.get("shown"), facts.get("level"), facts.get("of")
    if facts["role"] == "pseudonym" or "intervals" in facts or " by the interval of " in str(shown):
        report.not_done.append(f"{name}: whether it shows the intervals or pseudonyms that the certificate says")
        return True
    if facts["role"] != "quasi-identifier":
        return shown == ("dropped" if facts["role"] == "identifier" else "unchanged")
    labels = {row[table.names.index(name)] for row in table.rows}
    fits = 0 <= level <= height and (level < height or labels <= {"*"})
    fits = fits and not (content["conventions"]["nulls"] == "refuse" and None in labels)
    by_level = (shown == SUPPRESSED) == (level == height) and (shown != "unchanged" or level == 0)
    return fits and (by_level or space == "cell-level") and (space != "cuts" or shown in ("unchanged", SUPPRESSED))


# Part 5: the original, the policy and the solution
ROLE_KEYS, STOPS = ("identifiers", "sensitive", "insensitive"), ("finished", "time", "checks", "memory", "interrupted")
SOLUTION = {str: "format secret status stop space metric algorithm why promise", list: "alternatives trace"}
SOLUTION |= {int: "rows suppressed classes checks seed", dict: "levels proof"}  # beside cost, bound and seconds
USUAL = {"nulls": "value", "stars": "own", "suppressed": "drop", "cuts": "free"}
POLICY = {"quasi_identifiers", "require", "spend", "conventions", "search", *ROLE_KEYS}


def groups_of(spec, texts, folder):
    """For each level between the value and *: the group of each value; and the declared leaves."""
    shape = " ".join(sorted(spec.keys() - {"levels", "weight"}))
    kind = shape.removesuffix(" start") if shape in ("bands", "bands start", "tree") or spec.get(shape) is True else ""
    if kind == "bands" and {*map(type, spec["bands"])} <= {int, float} and all(map(NUMBER.fullmatch, texts)):
        start, *widths = (Fraction(str(w)) for w in (spec.get("start", 0), *spec["bands"]))
        if widths[0] <= 0 or any(w <= v or w % v for v, w in pairwise(widths)):
            raise ValueError("a band would split a narrower one")
        low = [{t: (Fraction(t) - start) // w * w + start for t in texts} for w in widths]
        ends = list(zip(low, widths, strict=True))
        at = {e: f"{Decimal(e.numerator) / e.denominator:f}" for of, w in ends for x in of.values() for e in (x, x + w)}
        return [{t: f"[{at[x]}, {at[x + w]})" for t, x in of.items()} for of, w in ends], None
    if kind == "dates" and all(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", t) and date.fromisoformat(t) for t in texts):
        years = [{t: f"{(y := int(t[:4]) // n * n):04}–{y + n - 1:04}" for t in texts} for n in (5, 10)]
        return [{t: t[:7] for t in texts}, {t: t[:4] for t in texts}, *years], None
    if kind == "prefix":
        length = max(map(len, texts), default=0)
        return [{t: t[: length - n].ljust(length, "*") for t in texts} for n in range(1, length)], None
    if isinstance(rows := kind and spec.get(kind), dict) and all(isinstance(leaves, list) for leaves in rows.values()):
        rows = [[leaf, group] for group, leaves in rows.items() for leaf in leaves]
    if isinstance(rows, str):  # one row for each leaf: the leaf, its group, …
        text = (folder / rows).read_text("utf-8-sig")
        delimiter = next((sign for sign in ";\t|" if sign in text), ",")
        rows = None if '"' in text else [line.split(delimiter) for line in text.splitlines()]
    if isinstance(rows, list) and all(type(cell) is str and cell for row in rows for cell in row):
        top = len(rows[0]) - (len(rows[0]) > 1 and all(row[-1] == "*" for row in rows))
        return [{row[0]: row[i] for row in rows} for i in range(1, top)], [row[0] for row in rows]
    if kind == "flat":
        return [], None
    raise NotImplementedError("a hierarchy of this kind")


class Original:  # the original, counted at any node of the lattice (one level for each column)
    def __init__(self, table, policy, folder):
        specs, spend = policy["quasi_identifiers"], policy.get("spend", {})
        self.quasi, self.rules = list(specs), read_rules(policy["require"])
        more, weights = policy.keys() - POLICY, [spec.get("weight", 1.0) for spec in specs.values()]
        more = more or spend.keys() - {"metric", "suppress"} or {*map(type, weights)} - {int, float} or min(weights) < 0
        more = more or any(rule["name"] not in ("k-anonymity", "maximum risk") for rule in self.rules)
        more = more or not policy.get("conventions", {}).items() <= USUAL.items()
        self.metric, allowed = spend.get("metric", "precision"), spend.get("suppress", 0)
        if more or self.metric not in ("precision", "loss"):
            raise NotImplementedError("the original, for a policy of this kind")
        if sorted([*specs, *(n for role in ROLE_KEYS for n in policy.get(role, []))]) != sorted(table.names):
            raise ValueError("a column without a role, or a role without a column")
        self.names = [name for name in table.names if name not in policy.get("identifiers", [])]
        places, self.rows = [table.names.index(name) for name in self.names], len(table.rows)
        self.counts = Counter(tuple(row[i] for i in places) for row in table.rows)
        allowed = allowed if type(allowed) is int else math.floor(allowed * self.rows + ROUNDING)
        self.most = min(allowed, max(0, self.rows - 1))  # never all rows are suppressed
        self.k = max(rule["smallest"] for rule in self.rules)
        self.at = [self.names.index(name) for name in self.quasi]
        self.columns, self.limits = [], []
        for at, spec, weight in zip(self.at, specs.values(), weights, strict=True):
            held = Counter()
            for row, n in self.counts.items():
                held[row[at]] += n
            groups, declared = groups_of(spec, known := sorted(held.keys() - {None}), folder)
            leaves = declared or known
            levels = [{t: t for t in leaves}, *groups, dict.fromkeys(leaves, "*")]
            for level in levels:
                level[None] = "*" if level is levels[-1] else None
            for fine, coarse in pairwise(levels):
                if len({(fine[t], coarse[t]) for t in leaves}) > len({fine[t] for t in leaves}):
                    raise ValueError("a level splits groups of the level below it")
            leaves = [*leaves, *(held.keys() & {None})]
            under = [Counter(level[leaf] for leaf in leaves) for level in levels]
            steps = [dict.fromkeys(held, i / (len(levels) - 1)) for i in range(len(levels))]
            if self.metric == "loss":
                pairs, other = zip(levels, under, strict=True), max(1, len(leaves) - 1)
                steps = [{v: (count[of[v]] - 1) / other for v in held} for of, count in pairs]
            means = [sum(loss[v] * n for v, n in held.items()) / max(1, self.rows) for loss in steps]
            self.columns.append((at, levels, steps, means, weight / sum(weights)))
            self.limits.append(spec.get("levels", (0, len(levels) - 1)))

    def count(self, node):
        """The rows of the node in classes of k or more, the sizes of these, and the other rows."""
        classes, released, small, sizes = {}, Counter(), Counter(), []
        for row, n in self.counts.items():
            cells = list(row)
            for (at, levels, *_), level in zip(self.columns, node, strict=True):
                cells[at] = levels[level][row[at]]
            classes.setdefault(tuple(cells[at] for at in self.at), []).append((tuple(cells), row, n))
        for members in classes.values():
            size = sum(n for _, _, n in members)
            sizes += [size] if size >= self.k else []
            for cells, row, n in members:
                (released if size >= self.k else small)[cells if size >= self.k else row] += n
        return released, sizes, small

    def cost(self, node, small):
        """Of a node, if these rows of the original are suppressed."""
        cost, rows = 0.0, max(1, self.rows)
        for (at, _, loss, mean, weight), level in zip(self.columns, node, strict=True):
            cost += weight * (mean[level] + sum((1 - loss[level][row[at]]) * n for row, n in small.items()) / rows)
        return cost

    def bound(self, nodes):
        """What every node that meets the policy costs at least: rows that stand out do so at finer nodes too."""
        small, least = {node: self.count(node)[2] for node in nodes}, math.inf
        for node in product(*(range(low, high + 1) for low, high in self.limits)):
            over = [n for n in nodes if all(a <= b for a, b in zip(node, n, strict=True))]
            if all(sum(small[n].values()) <= self.most for n in over):  # else too many rows stand out
                sure = [small[node]] if node in small else [{}, *(small[n] for n in over)]
                least = min(least, max(self.cost(node, rows) for rows in sure))
        return least

    def fingerprint(self):
        """Of the counts that a proof is about, as a solution file has it."""
        groups, parts = Counter(), [repr(tuple(self.quasi)).encode()]
        for row, n in self.counts.items():
            groups[tuple("" if row[at] is None else f"={row[at]}" for at in self.at)] += n
        values = [sorted({group[a] for group in groups}) for a in range(len(self.at))]
        columns = [[texts.index(g[a]) for g in sorted(groups)] for a, texts in enumerate(values)]
        parts += [repr(texts).encode() for texts in values]
        for column in [*columns, [groups[g] for g in sorted(groups)]]:
            parts.append(b"".join(number.to_bytes(8, "little") for number in column))
        return sha256(b"".join(parts)).hexdigest()


def check_original(report, table, source, policy, folder, solution):
    """Is the release the original, recoded as the solution says, and is the claim true?"""
    original = Original(source, policy, folder)
    proof, levels, status = solution["proof"], solution.get("levels"), solution["status"]
    if solution["space"] != "full-domain" or not isinstance(levels, dict) or len(proof) > 3 or proof["by"] != "nodes":
        raise NotImplementedError("the original, for this kind of recoding or proof")
    node, nodes = tuple(levels.values()), [tuple(node) for node in proof["nodes"]]
    kinds = {key: kind for kind, keys in SOLUTION.items() for key in keys.split()}
    typed = {type(x) for n in (node, *nodes, *solution["alternatives"]) for x in n} <= {int} and len(proof) == 3
    typed = typed and all(len(point) == 4 for point in solution["trace"])
    typed = typed and all(type(solution[key]) is kind for key, kind in kinds.items()) and solution["stop"] in STOPS
    typed = typed and solution.keys() == {*kinds, "cost", "bound", "seconds"} and type(solution["cost"]) in (int, float)
    fits = typed and list(levels) == original.quasi and solution["rows"] == original.rows
    places = [zip(n, original.limits, strict=True) for n in (node, *nodes)]
    fits = fits and all(low <= level <= high for pairs in places for level, (low, high) in pairs)
    report.add("solution", fits and status in ("optimal", "feasible"), "It fits the policy")
    if not fits:
        return
    released, sizes, small = original.count(node)
    report.add("truthful", table.names == original.names and table.counts == released, FINDINGS["truthful"])
    report.add("order", table.is_sorted(), FINDINGS["order"])
    if table.names == original.names:
        check_rules(report, table, original.rules, [original.quasi], "own")
    suppressed = sum(small.values())
    report.add("suppressed", suppressed <= original.most, f"{suppressed:,} suppressed rows are within the allowance")
    cost, claimed, bound = original.cost(node, small), solution["cost"], solution["bound"]
    said = tuple(solution[key] for key in ("suppressed", "classes", "metric"))
    same = math.isclose(cost, claimed, rel_tol=ROUNDING, abs_tol=ROUNDING)
    same = same and said == (suppressed, len(sizes), original.metric)
    report.add("cost", same, f"The {original.metric} cost is {cost:.6g}, as claimed")
    claimed = claimed if status == "optimal" else float(bound)
    proved = original.fingerprint() == proof["fingerprint"]
    proved = proved and original.bound(nodes) >= claimed - ROUNDING * max(1.0, abs(claimed))
    proved = proved and (status != "optimal" or abs(float(bound) - cost) <= ROUNDING * max(1.0, abs(cost)))
    report.add("proof", proved, f"{len(nodes)} nodes, counted again, prove that none costs less")


# Part 6: the verdict
class Report:  # what was checked, and what ``lookalike verify`` would check besides
    def __init__(self):
        self.failed, self.not_done = [], []

    def add(self, check, holds, sentence):
        print(f"  {'holds' if holds else 'FAILED'}  {check}: {repr(sentence.rstrip('.'))[1:-1]}.")  # no line end
        self.failed += [] if holds else [check]

    def run(self, check, function, *given):
        try:
            function(self, *given)
        except NotImplementedError as problem:
            self.not_done.append(str(problem))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
            self.add(check, False, "It is complete, and its parts fit together")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("release")
    parser.add_argument("certificate", nargs="?")
    for option in ("--original", "--policy", "--solution"):
        parser.add_argument(option)
    given, report = parser.parse_args(), Report()
    inside = [given.original, given.policy, given.solution]
    if any(inside) and not all(inside):
        parser.error("--original, --policy and --solution go together")
    try:
        table = Table(given.release)
        if given.certificate or not any(inside):
            content = read_json(given.certificate or f"{given.release}.certificate.json", "certificate 4")
            report.run("certificate", check_certificate, table, content)
            print("  not checked: that rows are true, what was suppressed or accepted, cost, proof, author and more")
        if any(inside):
            source, folder = Table(given.original), Path(given.policy).parent
            policy = tomllib.loads(Path(given.policy).read_text("utf-8-sig"))
            solution = read_json(given.solution, "solution 3")
            report.not_done += ["whether the certificate agrees with the original"] if given.certificate else []
            report.run("original", check_original, table, source, policy, folder, solution)
    except (OSError, ValueError, RecursionError) as error:
        print(f"A file cannot be read: {error if isinstance(error, OSError) else type(error).__name__}")
        return 1
    print(*(f"  NOT CHECKED HERE, but by lookalike verify: {text!r}" for text in report.not_done), sep="\n")
    if report.failed:
        print(f"Do not rely on this release. Failed: {', '.join(dict.fromkeys(report.failed))}.")
        return 4
    print("No check failed, but see above." if report.not_done else "Every check holds.")
    return 5 if report.not_done else 0


if __name__ == "__main__":
    sys.exit(main())
