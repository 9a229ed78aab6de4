"""The studio: the whole job on local web pages, for a data steward who does not write code.

``app.py`` joins the pages (``pages/``) behind a gate (``gate.py``). A project and its jobs are
files in a private folder of the user (``project/``); the pages keep no state. Long work waits in a
queue (``queue.py``) and is done by another process (``worker.py``, ``work/``).
"""
