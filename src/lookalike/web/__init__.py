"""The studio: the whole job on local web pages, for a steward who writes no code.

Pages are made on the server and hold no state; what there is lies in files of the user's. Whatever
takes long is done by another process (``worker.py``), so that pages answer while it runs.
"""
