"""Orgs, users, memberships with their roles, API keys, the audit trail, and the wall between orgs."""
