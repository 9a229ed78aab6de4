"""What stands in the catalog already, looked at before the work begins."""

from __future__ import annotations

from typing import Any

from lookalike.tables.spark.engine import translate_errors
from lookalike.tables.spark.table import current_session, quoted_name


def stands(place: str, given: Any) -> tuple[bool, bool]:
    """Is there a table, and is it the input? Starts Spark, which is needed at the end anyway."""
    name = quoted_name(place)
    catalog = current_session().catalog
    with translate_errors(place):
        exists = catalog.tableExists(name)
        if not exists or not isinstance(given, str):
            return exists, False
        one, other = (catalog.getTable(quoted_name(each)) for each in (place, given))
    parts = [(each.catalog, each.namespace, each.name.lower()) for each in (one, other)]
    return True, parts[0] == parts[1]
