"""STATE: nodes and residents as columns. The only place where NumPy state lives."""
