"""How nodes run, and what is kept between runs; knows nothing of agents."""
