"""A Parquet table held as packed whole numbers: read, counted, recoded, sorted, written again."""
