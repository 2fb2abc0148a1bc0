"""Leadline's server: all that needs meaning. Samples never pass through it."""
