"""Every promise at every provider: the real clients send requests to stubs that refuse what the real API refuses.

`make test-providers` runs the tests in an environment that has the clients. `python -m tests.providers.page` writes the results.
"""
