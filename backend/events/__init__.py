"""Marks in time, and the wake-ups that tell waiting requests that a row has changed."""
