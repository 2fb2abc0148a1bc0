"""Benches: what the product costs and how long it takes, beside a peer where there is one.

One file a subject; `BENCHES` in __main__.py lists them all.
"""
