"""The vocabulary of agent graphs and the work their nodes do."""
