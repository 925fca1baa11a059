"""What every command shares: options, errors, the live view of a run."""
