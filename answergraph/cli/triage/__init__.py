"""The triage on the command line."""
