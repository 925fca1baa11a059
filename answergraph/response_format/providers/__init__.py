"""What providers can do, and what they refused."""
