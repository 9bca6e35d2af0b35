"""The referee's statistics, held against what is known of them otherwise."""

import math

import pytest
import treeline
from treeline import statistics


def test_wilsons_interval():
    low, high = statistics.wilson(50, 100)
    # Newcombe (1998), and by symmetry.
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)
    assert statistics.wilson(0, 0) == (0.0, 1.0)


def test_two_proportions():
    z, p = statistics.two_proportions((60, 40), (100, 100))
    assert z == pytest.approx(0.2 / math.sqrt(0.5 * 0.5 * 0.02))
    assert p == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert statistics.two_proportions((0, 0), (10, 10)) is None


def test_ratings_of_two_players():
    fit = statistics.ratings(2, [(0, 1, 75, 0, 25), (1, 0, 25, 0, 75)])
    assert fit["elo"][0] - fit["elo"][1] == pytest.approx(400 * math.log10(3), abs=1e-6)
    assert fit["error"][0] > 0 and not fit["prior"]
    advantage, _ = statistics.ratings(2, [(0, 1, 60, 0, 40), (1, 0, 60, 0, 40)])["advantage"]
    assert advantage == pytest.approx(400 * math.log10(1.5), abs=1e-6)


def test_sprt():
    llr, lower, upper, verdict = statistics.sprt([100, 0, 100], 0, 10)
    assert lower < llr < upper and verdict is None
    assert upper == pytest.approx(math.log(0.95 / 0.05)) and lower == pytest.approx(-upper)
    assert statistics.sprt([100, 0, 400], 0, 10)[3] == "H1"
    assert statistics.sprt([400, 0, 100], 0, 10)[3] == "H0"


def test_analysis_of_variance():
    # By hand: means 2, 3, 7; between 42 with 2, within 6 with 6 degrees of freedom.
    table = statistics.anova_tukey([[1, 2, 3], [2, 3, 4], [6, 7, 8]])
    assert table["f"] == pytest.approx(21) and (table["between"], table["within"]) == (2, 6)
    # F with 2 and 6 degrees of freedom has p = (1 + f / 3) ** -3.
    assert table["p"] == pytest.approx(8**-3)
    i, j, difference, low, high, p = table["differences"][1]
    # The studentized range's 5 % point for 3 means and 6 degrees of freedom is 4.339.
    assert (i, j, difference) == (0, 2, -5) and high - difference == pytest.approx(4.339 * math.sqrt(1 / 3), abs=1e-3)
    assert low < high < 0 and 0 < p < 0.05
    assert statistics.anova_tukey([[1], [2]]) is None


@pytest.mark.parametrize(
    "work",
    [
        lambda: statistics.wilson(5, 4),
        lambda: statistics.wilson(-1, 4),
        lambda: statistics.wilson(1, math.inf),
        lambda: statistics.two_proportions((1, 9), (4, 4)),
        lambda: statistics.ratings(2, [(0, 2, 1, 0, 0)]),
        lambda: statistics.ratings(2, [(0, 0, 1, 0, 0)]),
        lambda: statistics.ratings(2, [(0, 1, math.nan, 0, 0)]),
        lambda: statistics.ratings(3, [(0, 1, 1, 0, 0)]),
        lambda: statistics.ratings(10**9, []),
        lambda: statistics.sprt([1, 2, 3], 5, 0),
        lambda: statistics.sprt([1], 0, 5),
        lambda: statistics.sprt([1, 2, 3], 0, 5, alpha=0.9),
        lambda: statistics.anova_tukey([[1, math.inf], [2, 3]]),
    ],
)
def test_numbers_that_cannot_be_are_refused(work):
    with pytest.raises(treeline.TreelineError):
        work()


def test_it_is_a_module():
    import treeline.statistics as module

    assert module is statistics and "Wilson" in module.wilson.__doc__
