"""Tests of the whole server as one running stack: the wall between orgs, kills, crowds."""
