"""Rules: the conditions that decide what follows, by a judge's word or by the state alone."""
