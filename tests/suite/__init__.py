"""The rules of the test suite, each a pytest plugin."""
