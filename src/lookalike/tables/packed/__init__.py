"""Parquet tables in memory as packed codes: read, counted, recoded, sorted and written."""
