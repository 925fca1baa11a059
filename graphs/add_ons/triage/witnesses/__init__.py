"""Witnesses: tests are run again, and what happens decides between the test, the application and the surroundings."""
