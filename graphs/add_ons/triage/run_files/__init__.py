"""Reads the files of a test run, in bounded memory and without leaving the folder."""
