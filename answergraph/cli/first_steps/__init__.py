"""The first steps: a demo, and a new project."""
