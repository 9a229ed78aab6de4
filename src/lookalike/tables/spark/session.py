"""The Spark session in which tables of the catalog are read and written."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import SparkSession

from lookalike.tables.spark.error_messages import translate_errors


def current_session() -> Any:
    """The active session; else a new one, as SPARK_REMOTE, SPARK_MASTER or the defaults say."""
    with translate_errors("spark"):
        if (active := SparkSession.getActiveSession()) is not None:
            return active
        builder = SparkSession.builder.appName("lookalike")
        if "SPARK_REMOTE" not in os.environ and (master := os.environ.get("SPARK_MASTER")):
            builder = builder.master(master)
        return builder.getOrCreate()
