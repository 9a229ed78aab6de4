"""The policy and search settings of a command: from a policy file, from options, or both."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import lookalike as la
from lookalike import api
from lookalike.cli.input.column_list import split_assignment, split_columns
from lookalike.cli.options import PolicyOptions, SearchOptions
from lookalike.errors import Fault, FaultCollector, NotSuited, PluginError, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.registry import ALGORITHMS

NO_SEARCH_OPTIONS, NO_POLICY_OPTIONS = SearchOptions(), PolicyOptions()
ASK = ":ask"  # option of mu-argus: ask the user on the terminal


@dataclass(frozen=True, slots=True)
class Request:
    """A policy, its search settings, and what was guessed for the user."""

    policy: la.Policy
    search: api.SearchSettings
    base: Path  # to which the policy's paths are relative
    changed: bool  # is the policy different from the file?
    chosen: tuple[str, ...] = field(default=())


def request_from_file(
    path: Path, search: SearchOptions = NO_SEARCH_OPTIONS, flags: PolicyOptions = NO_POLICY_OPTIONS
) -> Request:
    """A policy file, with options that override it."""
    faults, file = FaultCollector(), None
    with faults.check():
        file = api.load_policy_file(path)
    with faults.check():
        if file is not None:
            policy, changed = _spend(file.policy, flags)
    with faults.check():
        settings = search_settings(api.SearchSettings() if file is None else file.search, search)
    faults.raise_faults()
    return Request(policy, settings, path.parent, changed)


def request_from_flags(table: api.Table, flags: PolicyOptions, search: SearchOptions) -> Request:
    """A policy from options only. Missing hierarchies are guessed and reported."""
    columns = table.columns
    roles = {
        "--qi": split_columns(flags.qi, columns),
        "--drop": split_columns(flags.drop, columns),
        "--sensitive": split_columns((*flags.sensitive, *flags.keep), columns),
        "--insensitive": split_columns(flags.insensitive, columns),
    }
    given, hierarchy_faults = _hierarchies(flags.hierarchy, columns, roles["--qi"])
    if faults := _role_faults(roles, columns) + hierarchy_faults:
        raise PolicyError(faults)
    guessed = {name: _guessed(table, name) for name in roles["--qi"] if name not in given}
    known = given | {name: hierarchy for name, (hierarchy, _) in guessed.items()}
    required = _required(flags)
    if not required or flags.k is not None:
        required = (la.KAnonymity(flags.k or api.DEFAULT_K),)
    policy = la.Policy(
        quasi_identifiers={name: known[name] for name in roles["--qi"]},
        identifiers=roles["--drop"],
        sensitive=roles["--sensitive"],
        insensitive=roles["--insensitive"],
        require=required,
    )
    policy, _ = _spend(policy, flags)
    settings = search_settings(api.SearchSettings(), search)
    return Request(policy, settings, Path(), True, tuple(why for _, why in guessed.values()))


def wants_prompt(by: str) -> bool:
    """Whether it is ``mu-argus:ask``, possibly with other options."""
    return by.startswith("mu-argus") and f"{ASK}:" in f"{by}:"


def without_prompt(by: str) -> str:
    """The name as the search knows it."""
    return f"{by}:".replace(f"{ASK}:", ":", 1).rstrip(":") if wants_prompt(by) else by


def search_settings(
    settings: api.SearchSettings, options: SearchOptions = NO_SEARCH_OPTIONS
) -> api.SearchSettings:
    """The settings of the policy file, overridden by options, if they are valid."""
    given = {name: one for name, one in dataclasses.asdict(options).items() if one is not None}
    settings = dataclasses.replace(settings, **given)
    if faults := settings.faults() or algorithm_faults("search.by", settings.by):
        raise PolicyError(faults)
    return settings


def algorithm_faults(where: str, by: str) -> list[Fault]:
    """The faults in the name of an algorithm, or in its options."""
    by = without_prompt(by)
    name = by.partition(":")[0]
    if name != "auto" and name not in ALGORITHMS:
        return [unknown_word(where, "no such algorithm", by, ("auto", *ALGORITHMS.names))]
    try:
        api.find_algorithm(by)
    except (NotSuited, PluginError) as error:
        return [Fault(where, fault.problem, fault.fix) for fault in error.faults]
    return []


def portable_policy(request: Request, policy: la.Policy | None = None) -> la.Policy:
    """The policy, or another one in its place, with absolute paths: its file may be anywhere."""
    policy = policy or request.policy
    hierarchies = dict(policy.quasi_identifiers)
    for name, tree in hierarchies.items():
        if isinstance(tree, api.Tree) and tree.source is not None:
            source = str((request.base / tree.source).resolve())
            hierarchies[name] = dataclasses.replace(tree, source=source)
    return dataclasses.replace(policy, quasi_identifiers=hierarchies)


def _required(flags: PolicyOptions) -> tuple[api.Requirement, ...]:
    """What --require asks for."""
    if not flags.require:
        return ()
    from lookalike.cli.input.requirement_flag import read_requirements

    return read_requirements(flags.require)


def _spend(policy: la.Policy, flags: PolicyOptions) -> tuple[la.Policy, bool]:
    """The policy with --k, --require, --suppress and --metric, and whether they changed it."""
    changes: dict[str, object] = {}
    required = _required(flags)
    if more := [rule for rule in required if rule not in policy.require]:
        changes["require"] = (*policy.require, *more)
    if flags.k is not None:
        others = (rule for rule in (*policy.require, *more) if not isinstance(rule, la.KAnonymity))
        changes["require"] = (la.KAnonymity(flags.k), *others)
    if flags.suppress is not None:
        changes["suppress"] = _allowance(flags.suppress)
    if flags.metric is not None:
        name, colon, column = flags.metric.partition(":")
        changes["metric"] = api.metric_from({name: column} if colon else name)
    if flags.accept:
        changes["accept"] = {**policy.accept, **_accepted(flags.accept, policy.kept)}
    changed = dataclasses.replace(policy, **changes)  # type: ignore[arg-type]  # checked by it
    return changed, changed != policy


def _accepted(texts: Sequence[str], kept: Sequence[str]) -> dict[str, str]:
    """``wage=wages are public``: the reason for each column."""
    pairs = [(text, split_assignment(text, kept)) for text in texts]
    fix = 'write the column and the reason: --accept "wage=wages are public"'
    if wrong := [text for text, pair in pairs if pair is None]:
        raise PolicyError([Fault(f"--accept {text}", "there is no reason", fix) for text in wrong])
    return dict(pair for _, pair in pairs if pair is not None)


def _allowance(text: str) -> int | float:
    """``200`` is a number of rows, ``0.02`` and ``2%`` are shares."""
    text = text.strip()
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError:
        fix = "use a share such as 0.02 or 2%, or a number of rows such as 200"
        raise PolicyError(Fault("--suppress", "not a number", fix)) from None


def _hierarchies(
    given: Sequence[str], columns: Sequence[str], quasi: Sequence[str]
) -> tuple[dict[str, api.Hierarchy], list[Fault]]:
    hierarchies: dict[str, api.Hierarchy] = {}
    found: list[Fault] = []
    if not given:
        return hierarchies, found
    from lookalike.cli.input.hierarchy_flag import EXAMPLES, read_hierarchy

    for one in given:
        halves = split_assignment(one, columns)
        if halves is None:
            found.append(Fault("--hierarchy", "no column is named", f"use COLUMN=…; {EXAMPLES}"))
            continue
        name, text = halves
        if name not in quasi:
            problem = "the column is not in --qi"
            found.append(Fault(f"--hierarchy {name}", problem, "add it to --qi"))
        try:
            hierarchies[name] = read_hierarchy(name, text)
        except PolicyError as error:
            found.extend(error.faults)
    return hierarchies, found


def _role_faults(roles: dict[str, tuple[str, ...]], columns: Sequence[str]) -> list[Fault]:
    """The faults that the policy would find, in terms of the options."""
    found = []
    seen: dict[str, str] = {}
    for flag, names in roles.items():
        for name in names:
            if name not in columns:
                fix = f"use one of: {', '.join(columns)}"
                found.append(Fault(f"{flag} {name}", "the table has no such column", fix))
            elif name in seen:
                where = f"twice in {flag}" if seen[name] == flag else f"in {seen[name]} and {flag}"
                found.append(Fault(name, f"the column is {where}", "name it once"))
            seen[name] = flag
    for name in columns:
        if name not in seen:
            fix = "add it to --qi, --drop (removed), --sensitive or --insensitive (kept)"
            found.append(Fault(name, "this column of the table has no role", fix))
    return found


def _guessed(table: api.Table, name: str) -> tuple[api.Hierarchy, str]:
    one = api.guess_role(api.profile_column(table, name).facts)
    hierarchy = one.hierarchy or la.flat()
    [kind] = list(hierarchy.to_dict())[:1]
    steps = hierarchy.to_dict()[kind]
    shown = f"{kind}:{','.join(map(str, steps))}" if isinstance(steps, list) else kind
    warning = "" if one.hierarchy else "; looks like a direct identifier: consider --drop"
    return hierarchy, f"--hierarchy {name}={shown} (guessed: {one.reason}{warning})"
