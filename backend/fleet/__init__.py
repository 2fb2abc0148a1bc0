"""Reads that join rooms for one screen, and the event stream."""
