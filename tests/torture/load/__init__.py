"""Many runs, long threads, many calls and cancelled runs; they must leave no memory, threads, tasks or file handles behind."""
