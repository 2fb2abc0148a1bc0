"""Leadline's server: identity, inventory and everything that needs meaning. Samples never pass through it."""
