"""Tests of the containers."""
