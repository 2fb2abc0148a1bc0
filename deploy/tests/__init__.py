"""Tests of what sets Leadline up and keeps it running."""
