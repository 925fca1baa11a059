"""Every promise at every provider: stubs on loopback that refuse what each API refuses, asked through the real clients.

Run by `make test-providers`, in an environment that has the clients. `python -m tests.providers.page` writes what was seen.
"""
