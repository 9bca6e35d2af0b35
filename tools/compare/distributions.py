#!/usr/bin/env python3
"""The numbers that the tests of src/statistics hold, from scipy and statsmodels.

    python3 -m venv target/statistics && target/statistics/bin/pip install scipy statsmodels
    target/statistics/bin/python tools/compare/distributions.py

Prints one line a number. Where no library has a function (the generalised sequential test, Ordo's constant), it is
written out here from its definition and solved with scipy.
"""

import math

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

SCALE = 400 / math.log(10)


def show(name, *values):
    print(name, *(f"{float(v):.10g}" for v in values))


def intervals():
    for points, games in [(60, 100), (277, 300), (0, 20), (20, 20), (8.5, 10)]:
        show(f"wilson {points}/{games}", *proportion_confint(points, games, method="wilson"))
    for a, n, b, m in [(277, 300, 288, 300), (12.5, 20, 7, 20), (45, 100, 62, 150)]:
        show(f"ztest {a}/{n} {b}/{m}", *proportions_ztest([a, b], [n, m]))


def ranges():
    for q, k, v in [(3.5, 3, 20), (1.0, 2, 5), (4.2, 5, 12), (3.3, 3, 1000), (0.4, 10, 8), (6.0, 4, 3), (2.0, 2, 2)]:
        show(f"range {q} {k} {v}", stats.studentized_range.cdf(q, k, v))
    for p, k, v in [(0.95, 3, 20), (0.95, 5, 12), (0.99, 4, 60), (0.95, 2, 4)]:
        show(f"quantile {p} {k} {v}", stats.studentized_range.ppf(p, k, v))


GROUPS = [
    [0.55, 0.60, 0.50, 0.65, 0.70],
    [0.40, 0.45, 0.50, 0.35, 0.45],
    [0.50, 0.55, 0.45, 0.60, 0.40],
]


def variances():
    show("anova", *stats.f_oneway(*GROUPS))
    result = stats.tukey_hsd(*GROUPS)
    interval = result.confidence_interval(0.95)
    for i in range(3):
        for j in range(i + 1, 3):
            show(f"tukey {i} {j}", result.statistic[i][j], interval.low[i][j], interval.high[i][j], result.pvalue[i][j])
    uneven = [GROUPS[0], GROUPS[1][:3], GROUPS[2][:4]]
    table = pairwise_tukeyhsd(sum(uneven, []), sum(([str(i)] * len(g) for i, g in enumerate(uneven)), []))
    print(table.summary())
    result = stats.tukey_hsd(*uneven)
    interval = result.confidence_interval(0.95)
    show("uneven 0 1", result.statistic[0][1], interval.low[0][1], interval.high[0][1], result.pvalue[0][1])


def ratings(name, players, meetings):
    """A binomial model of points with an advantage, errors by the sandwich: (first, second, wins, draws, losses)."""
    rows, points = [], []
    for first, second, wins, draws, losses in meetings:
        row = np.zeros(players + 1)
        row[first], row[second], row[players] = 1, -1, 1
        for value, count in [(1, wins), (0.5, draws), (0, losses)]:
            rows += [row] * count
            points += [value] * count
    rows = np.array(rows)
    # The ratings sum to 0: the last is minus the sum of the others.
    basis = np.zeros((players + 1, players))
    basis[: players - 1, : players - 1] = np.eye(players - 1)
    basis[players - 1, : players - 1] = -1
    basis[players, players - 1] = 1
    fit = sm.GLM(points, rows @ basis, family=sm.families.Binomial()).fit(cov_type="HC0", tol=1e-14)
    x = basis @ fit.params
    variance = np.diag(basis @ fit.cov_params() @ basis.T)
    for i in range(players + 1):
        show(f"{name} {'advantage' if i == players else i}", SCALE * x[i], 1.959963984540054 * SCALE * variance[i] ** 0.5)


def sprt(name, counts, elo0, elo1):
    """The generalised test, the likeliest distributions found by scipy under the constraint of their means."""
    counts = np.maximum(np.array(counts, float), 1e-3)
    total, values = counts.sum(), np.linspace(0, 1, len(counts))
    p = counts / total

    def likeliest(elo):
        s = 1 / (1 + 10 ** (-elo / 400))
        t = optimize.brentq(lambda t: (p * (values - s) / (1 + t * (values - s))).sum(), -1 / (1 - s) + 1e-9, 1 / s - 1e-9, xtol=1e-15)
        return p / (1 + t * (values - s))

    show(name, total * (p * np.log(likeliest(elo1) / likeliest(elo0))).sum())


print(f"# scipy {scipy.__version__}, statsmodels {statsmodels.__version__}")
intervals()
ranges()
variances()
ratings("elo", 3, [(0, 1, 14, 3, 3), (1, 0, 8, 2, 10), (1, 2, 11, 5, 4), (2, 1, 9, 1, 10), (0, 2, 15, 0, 5), (2, 0, 6, 4, 10)])
# Laskos' example (talkchess.com, 2012-06-24), for which Ordo gave 190.1, 0.0 and -190.1 with its constant of 173 points.
ratings("laskos", 3, [(0, 2, 24, 6, 0), (0, 1, 18, 9, 3), (1, 2, 18, 9, 3)])
sprt("sprt 3 classes", [20, 30, 50], 0, 20)
sprt("sprt 5 classes", [5, 20, 60, 30, 10], 0, 10)
sprt("sprt no draws", [10, 0, 40], -5, 5)
