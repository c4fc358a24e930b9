"""The rest of the module random: distributions made from random()."""
import random
from math import log, exp, sqrt, pi, e, cos, sin, acos

LOG4 = log(4.0)
SG_MAGICCONST = 1.0 + log(4.5)
TWOPI = 2.0 * pi


def lognormvariate(mu=0.0, sigma=1.0):
    return exp(random.normalvariate(mu, sigma))


def gammavariate(alpha, beta):
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError('gammavariate: alpha and beta must be > 0.0')
    draw = random.random
    if alpha > 1.0:
        ainv = sqrt(2.0 * alpha - 1.0)
        bbb = alpha - LOG4
        ccc = alpha + ainv
        while True:
            u1 = draw()
            if not 1e-7 < u1 < 0.9999999:
                continue
            u2 = 1.0 - draw()
            v = log(u1 / (1.0 - u1)) / ainv
            x = alpha * exp(v)
            z = u1 * u1 * u2
            r = bbb + ccc * v - x
            if r + SG_MAGICCONST - 4.5 * z >= 0.0 or r >= log(z):
                return x * beta
    if alpha == 1.0:
        return -log(1.0 - draw()) * beta
    while True:
        u = draw()
        b = (e + alpha) / e
        p = b * u
        x = p ** (1.0 / alpha) if p <= 1.0 else -log((b - p) / alpha)
        u1 = draw()
        if p > 1.0:
            if u1 <= x ** (alpha - 1.0):
                return x * beta
        elif u1 <= exp(-x):
            return x * beta


def betavariate(alpha, beta):
    y = gammavariate(alpha, 1.0)
    return y / (y + gammavariate(beta, 1.0)) if y else 0.0


def paretovariate(alpha):
    return (1.0 - random.random()) ** (-1.0 / alpha)


def weibullvariate(alpha, beta):
    return alpha * (-log(1.0 - random.random())) ** (1.0 / beta)


def vonmisesvariate(mu, kappa):
    draw = random.random
    if kappa <= 1e-6:
        return TWOPI * draw()
    s = 0.5 / kappa
    r = s + sqrt(1.0 + s * s)
    while True:
        z = cos(pi * draw())
        d = z / (r + z)
        u2 = draw()
        if u2 < 1.0 - d * d or u2 <= (1.0 - d) * exp(d):
            break
    q = 1.0 / r
    f = (q + z) / (1.0 + q * z)
    return (mu + acos(f)) % TWOPI if draw() > 0.5 else (mu - acos(f)) % TWOPI


def randbytes(n):
    value = random.getrandbits(n * 8)
    return bytes([value >> 8 * k & 255 for k in range(n)])
