"""Benches: what the product costs and how long it takes, as JSON lines, beside a peer in the same run where there is one.

One file a subject; `BENCHES` in __main__.py lists them all.
"""
