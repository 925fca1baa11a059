"""One module per family of systems; each makes a callable that does the work once and tells what it did."""
