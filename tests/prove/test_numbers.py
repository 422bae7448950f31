"""The number systems keep the laws that exact evaluation and refutation rest on."""
from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from symrnn.expr.functions import TABLE
from symrnn.prove.claim import Unsupported
from symrnn.prove.numbers import CLOSED, BadPoint, Field
from symrnn.prove.primes import is_prime, prime_and_key
from symrnn.prove.reals import (
    FORMULAS,
    INSTANCES,
    ArbBalls,
    Balls,
    Decimals,
    Floats,
    Intervals,
    Rationals,
    balls,
    instances,
)

PRIME, KEY = prime_and_key(b"numbers", 0)
SMOOTH = sorted(set(FORMULAS) - {"id"})
BALLS = [Intervals, ArbBalls]


def make(kind: type[Balls]) -> Balls:
    if kind is ArbBalls:
        pytest.importorskip("flint")
    return kind()


@pytest.fixture
def field() -> Field:
    return Field(PRIME, KEY)


# ------------------------------------------------------------------------------------------------------------------- the field
@pytest.mark.parametrize("name", sorted(TABLE))
def test_an_oracle_keeps_the_parity_and_the_value_at_zero(field, name):
    row = TABLE[name]
    if row.zero is not None:
        assert field.element(name, 0) == field.number(Fraction(row.zero))
    for x in (field.hash("x", k) for k in range(8)):
        v, w = field.element(name, x), field.element(name, -x)
        want = {"odd": -v, "even": v, "complement": 1 - v, "reciprocal": pow(v, -1, PRIME), None: w}[row.parity]
        assert (w - want) % PRIME == 0


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"id"}))
def test_an_oracle_depends_on_argument_and_key_and_on_nothing_else(field, name):
    other, again = Field(PRIME, KEY[::-1]), Field(PRIME, KEY)
    again.element("exp", 5)
    values = [field.element(name, x) for x in range(1, 30)]
    assert len(set(values)) == 29
    assert [again.element(name, x) for x in reversed(range(1, 30))] == values[::-1]
    if name != "recip":
        assert other.element(name, 3) != field.element(name, 3)


def test_the_field_knows_the_exponential_family(field):
    f, x = field, 123456789
    e, p = f.element("exp", x), PRIME
    assert f.element("tanh", x) * (e * e + 1) % p == (e * e - 1) % p
    assert f.element("sigmoid", x) * (1 + e) % p == e
    assert f.element("softplus", x) == f.element("log", 1 + e)
    assert f.element("log", e) == x and f.element("log", pow(e, -1, p)) == p - x
    assert f.element("exp", f.element("log", 77)) == 77
    assert (f.element("sin", x) ** 2 + f.element("cos", x) ** 2) % p == 1
    assert (f.element("cosh", x) ** 2 - f.element("sinh", x) ** 2) % p == 1
    assert f.element("relu", x) == x * f.element("step", x) % p
    assert f.element("log", f.element("sigmoid", x)) == (x - f.element("softplus", x)) % p


def test_softmax_sums_to_one_and_its_log_is_the_argument_less_the_log_sum(field):
    u = field.array([[3], [5], [11]])
    p = field.softmax(u)
    assert field.reduce(p.sum(-2)) == 1
    assert (field.apply("log", p) == field.reduce(u - field.log_sum_exp(u))).all()


def test_step_takes_the_bits_of_a_pattern(field):
    bits = Field(PRIME, KEY, pattern=0b101)
    assert [bits.element("step", x) for x in (9, 8, 7, 9)] == [1, 0, 1, 1]
    assert field.element("step", 9) not in (0, 1)


def test_one_over_zero_is_a_bad_point(field):
    with pytest.raises(BadPoint):
        field.element("recip", PRIME)


def test_every_closed_function_is_a_row_of_the_table():
    assert set(CLOSED) <= set(TABLE)


# ------------------------------------------------------------------------------------------------------------------- the primes
def test_primes_have_61_bits_and_follow_the_seed():
    primes = [prime_and_key(bytes([k]), n)[0] for k in range(4) for n in range(4)]
    assert len(set(primes)) == 16
    assert all(p.bit_length() == 61 and is_prime(p) for p in primes)


@pytest.mark.parametrize("n", [561, 41041, 3215031751, 3825123056546413051])
def test_pseudoprimes_are_not_taken_for_primes(n):
    assert not is_prime(n)


# -------------------------------------------------------------------------------------------------------------- the real numbers
def reference(name: str, x: Fraction) -> mpmath.mpf:
    """The function by mpmath's own routine at 80 digits."""
    with mpmath.workdps(80):
        u = mpmath.mpf(x.numerator) / x.denominator
        rules = {"sigmoid": lambda: 1 / (1 + mpmath.exp(-u)), "softplus": lambda: mpmath.log1p(mpmath.exp(u)),
                 "recip": lambda: 1 / u}
        return rules[name]() if name in rules else getattr(mpmath, name)(u)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(5, 2)])
def test_decimals_floats_and_balls_agree_with_mpmath(name, x):
    want = reference(name, x)
    for system, digits in ((Decimals(), 45), (Floats(), 14)):
        got = system.apply(name, system.array([[x]]))[0, 0]
        with mpmath.workdps(80):
            assert abs(mpmath.mpf(got) - want) < mpmath.mpf(10) ** -digits * (1 + abs(want))


@pytest.mark.parametrize("kind", BALLS)
@pytest.mark.parametrize("name", SMOOTH)
def test_a_ball_holds_the_true_value_and_is_narrow(kind, name):
    system = make(kind)
    with system.scope(), mpmath.workdps(80):
        low, high = system.ends(system.element(name, system.number(Fraction(1, 3))))
        want = reference(name, Fraction(1, 3))
        assert mpmath.mpf(low.numerator) / low.denominator - mpmath.mpf(10)**-75 <= want
        assert want <= mpmath.mpf(high.numerator) / high.denominator + mpmath.mpf(10)**-75
        assert high - low < Fraction(1, 10**60)


def test_both_libraries_of_balls_print_the_same():
    pytest.importorskip("flint")
    for q in (Fraction(1, 3), Fraction(-22, 7), Fraction(1, 1000), Fraction(1234)):
        texts = []
        for system in (Intervals(), ArbBalls()):
            with system.scope():
                texts.append([system.text(system.element(name, system.number(q))) for name in ("tanh", "exp", "recip", "sin")])
        assert texts[0] == texts[1]


@pytest.mark.parametrize("kind", BALLS)
def test_a_printed_enclosure_holds_the_ball(kind):
    system = make(kind)
    with system.scope():
        x = system.element("exp", system.number(Fraction(2, 3)))
        middle, radius = system.text(x).split(" +/- ")
        low, high = system.ends(x)
    assert Fraction(middle) - Fraction(radius) <= low <= high <= Fraction(middle) + Fraction(radius)
    assert abs(Fraction(radius)) <= Fraction(1, 10**11)


@pytest.mark.parametrize("kind", BALLS)
def test_balls_differ_only_when_they_do_not_meet(kind):
    system = make(kind)
    with system.scope():
        third, tanh = system.array([[Fraction(1, 3)]]), system.apply("tanh", system.array([[1]]))
        assert not system.different(third * 3, system.full((1, 1), 1)).any()
        assert system.different(tanh, system.full((1, 1), Fraction(3, 4))).all()


def test_the_precision_of_a_library_is_put_back():
    flint = pytest.importorskip("flint")
    before = flint.ctx.prec
    with ArbBalls().scope():
        assert flint.ctx.prec == Balls.bits
    assert flint.ctx.prec == before


@pytest.mark.parametrize("system", [Rationals(), Decimals(), Floats(), balls()], ids=lambda s: s.name)
@pytest.mark.parametrize(("name", "x"), [("log", -1), ("log", 0), ("sqrt", -1), ("recip", 0)])
def test_outside_its_domain_a_function_makes_the_point_bad(system, name, x):
    with pytest.raises(BadPoint):
        system.apply(name, system.array([[x]]))


@pytest.mark.parametrize("system", [Rationals(), balls(), Floats(strict=True)], ids=lambda s: s.name)
def test_where_rigour_is_asked_a_kink_has_no_derivative(system):
    assert system.apply("relu", system.array([[0]]))[0, 0] == 0
    with pytest.raises(BadPoint):
        system.apply("step", system.array([[0]]))


def test_rationals_stay_exact_or_say_that_they_are_not_rational():
    r = Rationals()
    assert r.apply("sigmoid", r.array([[0]]))[0, 0] == Fraction(1, 2)
    assert r.softmax(r.array([[2], [2], [2]]))[0, 0] == Fraction(1, 3)
    one = r.apply("tanh", r.array([[1]]))
    assert str((one * 3 - 1)[0, 0]) == "irrational"
    assert not r.different(one, one).any() and not r.different(one, r.array([[7]])).any()


def test_unspecified_functions_are_different_polynomials_with_their_derivatives():
    table = instances(["?g'", "?f", "tanh", "?f''"])
    assert list(table) == ["?f", "?g"] and table["?f"] != table["?g"]
    r = Rationals(table)
    f = [r.apply("?f" + "'" * k, r.array([[3]]))[0, 0] for k in range(3)]
    assert f == [Fraction(15, 2), 4, 1]
    with pytest.raises(Unsupported, match="the unspecified function h"):
        r.apply("?h", r.array([[1]]))


@pytest.mark.parametrize("instance", INSTANCES, ids=str)
def test_the_derivatives_of_an_instance_are_derivatives(instance):
    h, x = Fraction(1, 10**12), Fraction(2, 3)
    for order in range(2):
        slope = (instance(x + h, Fraction, order) - instance(x - h, Fraction, order)) / (2 * h)
        assert abs(slope - instance(x, Fraction, order + 1)) < Fraction(1, 10**20)


def test_a_number_with_more_digits_than_people_read_is_shown_as_an_enclosure_that_holds_it() -> None:
    for q in (Fraction(3) ** 9999, -Fraction(3) ** 9999, Fraction(1, 3**9999), Fraction(7**20000, 3)):
        middle, radius = Rationals().text(q).split(" +/- ")
        assert abs(Fraction(middle) - q) <= Fraction(radius) <= abs(q) / 10**10
    assert Rationals().text(Fraction(10**40, 3)) == f"{10**40}/3"
