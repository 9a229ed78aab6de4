"""Spark 4 (classic, Connect or a cluster): steps are Spark jobs, and only counts come back."""
