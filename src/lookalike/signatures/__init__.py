"""Signatures of certificates, in the format of ``ssh-keygen -Y sign``."""
