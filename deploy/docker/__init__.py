"""Leadline in containers: the Dockerfiles, and the source of docker-compose.yml."""
