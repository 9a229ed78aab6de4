"""PostgreSQL: tables and queries are read on the server; a table is written in a transaction."""
