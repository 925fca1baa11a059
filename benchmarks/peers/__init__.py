"""One module per family of systems; each makes a function that does the work once and returns what it did."""
