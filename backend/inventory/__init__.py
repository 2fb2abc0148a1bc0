"""Nodes, services, agents, enrolment and leases; the routes that agents call."""
