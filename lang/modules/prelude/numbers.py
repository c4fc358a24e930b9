"""Kinds of numbers."""


class Number:
    def _instance_of(x):
        return isinstance(x, (int, float))


class Complex(Number):
    def _instance_of(x):
        return isinstance(x, (int, float))


class Real(Complex):
    def _instance_of(x):
        return isinstance(x, (int, float))


class Rational(Real):
    def _instance_of(x):
        return isinstance(x, int)


class Integral(Rational):
    def _instance_of(x):
        return isinstance(x, int)
