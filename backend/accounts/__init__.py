"""Orgs, users, memberships, API keys, the audit trail, and the wall between orgs."""
