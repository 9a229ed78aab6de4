"""The names of ``api.py`` and the rooms they come from; each is loaded when first used."""

from .attacking.joint_releases import JointFindings
from .attacking.record_linkage import LinkageResult
from .attacking.release_attacks import ALL as ALL_ATTACKS
from .attacking.release_attacks import AttackResult, attack_names, quick_attacks
from .attacking.row_order import RowOrder
from .attacking.sensitive_inference import Inference
from .attacking.singled_out_people import SingledOut
from .cost.metric import Metric
from .counts.level_table import LevelTable
from .policy.cell_text import text as cell_text
from .policy.draft_roles import guess_role
from .policy.hierarchies.policy_file_form import from_dict as hierarchy_from_dict
from .policy.hierarchies.tree import Tree
from .policy.hierarchies.tree_file import parse_rows as parse_tree_rows
from .policy.hierarchy import Hierarchy
from .policy.metric_names import metric_from
from .policy.policy_file import PolicyFile
from .policy.policy_file import dumps as policy_file_text
from .policy.policy_file import load as load_policy_file
from .policy.policy_file import loads as parse_policy_file
from .policy.requirement_names import requirements_from
from .policy.search_settings import SearchSettings
from .policy.toml_writer import toml_section
from .privacy.k_anonymity import DEFAULT_K
from .privacy.requirement import Requirement
from .problem.column_costs import costliest_columns
from .problem.explanation import Explanation
from .problem.problem import Problem
from .pseudonyms.secret_key import needed_key, read_key, write_key
from .releasing.kept_column_gate import gate_faults
from .releasing.ledger import Entry
from .report.report_name import check_report_name
from .risks.column_sets.minimal_uniques import Combinations
from .risks.kept_columns.screening import Screening
from .risks.screening.column_profile import Profile
from .risks.screening.column_profile import profile as profile_column
from .risks.screening.column_profile import profiles as profile_columns
from .risks.screening.quasi_identifier_finder import Proposal
from .risks.screening.quasi_identifier_finder import propose as propose_quasi_identifiers
from .risks.screening.safe_harbor import SafeHarbor
from .risks.screening.safe_harbor import find_identifiers as find_safe_harbor_identifiers
from .search.auto_choice import named as find_algorithm
from .search.compare import Comparison, compare
from .search.comparison_text import LEFT_ALIGNED, bounds_sentence
from .search.comparison_text import RESULT as RESULT_COLUMNS
from .search.comparison_text import SEARCH as SEARCH_COLUMNS
from .search.comparison_text import Cell as ComparisonCell
from .search.comparison_text import meanings as column_meanings
from .search.comparison_text import used as used_columns
from .search.solve import solve
from .signatures.signing_key import read_passphrase, read_signing_key, write_signing_key
from .solution.recoding import NO_FACTS
from .solution.solution import AS_ASKED, UNKNOWN_GAP, TracePoint
from .solution.solution_file import dumps as solution_text
from .solution.solution_file import load as load_solution
from .tables.addresses import address_kind, check_scheme, is_address, parse_address
from .tables.engine_progress import current_progress
from .tables.files.atomic_write import atomic_write, same_file
from .tables.files.folder_target import folder_fault
from .tables.files.pair_replacement import repair_beside
from .tables.open import open_table
from .tables.resource_limits import LIMITS as ENGINE_LIMITS
from .tables.resource_limits import SIZE as SIZE_PATTERN
from .tables.resource_limits import parse_size
from .tables.row_pages import page as read_page
from .tables.table import Table
from .tables.table_address import TableAddress
from .tables.table_listing import tables_in
from .verbs import (
    Reapplied,
    Verdict,
    anonymize,
    attack,
    changes,
    check,
    draft_policy,
    examine,
    explain,
    load_policy,
    prepare,
    reapply,
    release,
    risk,
    screen,
    sign,
    stored_certificate,
    verify,
)
from .verifier.certificate.accepted_columns import accepted_sentences
from .verifier.finding import Finding

__all__ = [
    "ALL_ATTACKS",
    "AS_ASKED",
    "DEFAULT_K",
    "ENGINE_LIMITS",
    "LEFT_ALIGNED",
    "NO_FACTS",
    "RESULT_COLUMNS",
    "SEARCH_COLUMNS",
    "SIZE_PATTERN",
    "UNKNOWN_GAP",
    "AttackResult",
    "Combinations",
    "Comparison",
    "ComparisonCell",
    "Entry",
    "Explanation",
    "Finding",
    "Hierarchy",
    "Inference",
    "JointFindings",
    "LevelTable",
    "LinkageResult",
    "Metric",
    "PolicyFile",
    "Problem",
    "Profile",
    "Proposal",
    "Reapplied",
    "Requirement",
    "RowOrder",
    "SafeHarbor",
    "Screening",
    "SearchSettings",
    "SingledOut",
    "Table",
    "TableAddress",
    "TracePoint",
    "Tree",
    "Verdict",
    "accepted_sentences",
    "address_kind",
    "anonymize",
    "atomic_write",
    "attack",
    "attack_names",
    "bounds_sentence",
    "cell_text",
    "changes",
    "check",
    "check_report_name",
    "check_scheme",
    "column_meanings",
    "compare",
    "costliest_columns",
    "current_progress",
    "draft_policy",
    "examine",
    "explain",
    "find_algorithm",
    "find_safe_harbor_identifiers",
    "folder_fault",
    "gate_faults",
    "guess_role",
    "hierarchy_from_dict",
    "is_address",
    "load_policy",
    "load_policy_file",
    "load_solution",
    "metric_from",
    "needed_key",
    "open_table",
    "parse_address",
    "parse_policy_file",
    "parse_size",
    "parse_tree_rows",
    "policy_file_text",
    "prepare",
    "profile_column",
    "profile_columns",
    "propose_quasi_identifiers",
    "quick_attacks",
    "read_key",
    "read_page",
    "read_passphrase",
    "read_signing_key",
    "reapply",
    "release",
    "repair_beside",
    "requirements_from",
    "risk",
    "same_file",
    "screen",
    "sign",
    "solution_text",
    "solve",
    "stored_certificate",
    "tables_in",
    "toml_section",
    "used_columns",
    "verify",
    "write_key",
    "write_signing_key",
]
