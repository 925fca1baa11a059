"""The calculator, the general agent and LLMMath."""
