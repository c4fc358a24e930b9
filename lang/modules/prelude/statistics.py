"""Means and deviations of numbers."""
import math


class StatisticsError(ValueError):
    pass


def _numbers(data, least, what):
    data = list(data)
    if len(data) < least:
        raise StatisticsError(f'{what} requires at least {least} data point' + ('s' if least > 1 else ''))
    return data


def _whole(x, data):
    return int(x) if x == int(x) and all(isinstance(v, int) for v in data) else x


def mean(data):
    data = _numbers(data, 1, 'mean')
    return _whole(math.fsum(data) / len(data), data)


def fmean(data):
    data = _numbers(data, 1, 'fmean')
    return math.fsum(data) / len(data)


def median(data):
    data = sorted(_numbers(data, 1, 'median'))
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def mode(data):
    data = _numbers(data, 1, 'mode')
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    return max(counts, key=counts.get)


def _squares(data):
    m = math.fsum(data) / len(data)
    return math.fsum([(x - m) ** 2 for x in data])


def variance(data):
    data = _numbers(data, 2, 'variance')
    return _whole(_squares(data) / (len(data) - 1), data)


def pvariance(data):
    data = _numbers(data, 1, 'pvariance')
    return _whole(_squares(data) / len(data), data)


def stdev(data):
    data = _numbers(data, 2, 'stdev')
    return math.sqrt(_squares(data) / (len(data) - 1))


def pstdev(data):
    data = _numbers(data, 1, 'pstdev')
    return math.sqrt(_squares(data) / len(data))
