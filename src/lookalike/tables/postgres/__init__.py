"""PostgreSQL: a table or query is read where it is, and a table written in one transaction."""
