"""Tests of the files that the page shows."""
