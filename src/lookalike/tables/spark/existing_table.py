"""Look for a table at an address in Spark before the work begins."""

from __future__ import annotations

from typing import Any

from lookalike.tables.spark import session
from lookalike.tables.spark.address import SparkAddress
from lookalike.tables.spark.error_messages import translate_errors


def find_existing(address: SparkAddress, source: Any) -> tuple[bool, bool]:
    """Is there a table, and is it the ``source``? Starts Spark, which is needed later anyway."""
    name = address.sql
    catalog = session.current_session().catalog
    with translate_errors(address.name):
        exists = catalog.tableExists(name)
        if not exists or not isinstance(source, SparkAddress):
            return exists, False
        tables = [catalog.getTable(sql) for sql in (name, source.sql)]
    keys = [(table.catalog, table.namespace, table.name.lower()) for table in tables]
    return True, keys[0] == keys[1]
