"""Sets up, starts and supervises Leadline on one machine, and holds what other ways of running it are generated from."""
