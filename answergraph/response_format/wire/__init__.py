"""The compiler from a JSON Schema to the part of it that each provider takes, and the way back."""
