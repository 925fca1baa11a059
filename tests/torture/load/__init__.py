"""Many runs, long threads, many calls, cancelled runs: what is left of them in memory, threads, tasks and file handles."""
