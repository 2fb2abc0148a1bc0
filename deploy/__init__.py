"""Sets up, starts and supervises Leadline on one machine."""
