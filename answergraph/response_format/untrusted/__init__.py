"""Schemas that come from callers at run time, and are checked before they are used."""
