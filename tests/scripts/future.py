"""Annotations that name nothing may stand where the future is imported."""
from __future__ import annotations, division


def f(x: Nothing) -> Nowhere:
    y: AlsoNothing = x
    return y


print(f(1), 1 / 2)          # expect: 1 0.5
