"""The files that a test run left: read in bounded memory, never written, never left."""
