"""Workflows: steps that are agents, with rules that decide what follows."""
