"""Spark 4: classic, Connect or a cluster; every step is a Spark job, and only counts come back."""
