"""Agents as parts of other programs: as a node, as a tool, as a stream of answers, and runs that go on after a stop."""
