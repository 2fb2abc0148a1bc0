"""Leadline under systemd: the units, and their source."""
