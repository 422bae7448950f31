"""The prime and the key of a point, derived by SHA-256 from the claim and its definitions, so that nobody can aim at them."""
from __future__ import annotations

from hashlib import sha256

from symrnn.expr import Expr, walk
from symrnn.prove.claim import Claim

BITS = 61
#: the first twelve primes decide primality of every number below 3.1e23 (Sorenson and Webster 2015)
WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def is_prime(n: int) -> bool:
    """Whether ``n`` < 3.1e23 is prime (Miller-Rabin with fixed witnesses; no chance involved).

    >>> [n for n in range(30) if is_prime(n)], is_prime(2**61 - 1), is_prime(3215031751)
    ([2, 3, 5, 7, 11, 13, 17, 19, 23, 29], True, False)
    """
    if n < 2:
        return False
    for w in WITNESSES:
        if n % w == 0:
            return n == w
    r = ((n - 1) & (1 - n)).bit_length() - 1
    d = (n - 1) >> r
    for w in WITNESSES:
        x = pow(w, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def serial(*expressions: Expr) -> str:
    """The expressions as text that no two different lists of expressions share."""
    number: dict[Expr, int] = {}
    lines = []
    for root in expressions:
        for e in walk(root):
            if e not in number:
                number[e] = len(number)
                attr = f"{e.attr.numerator:x}/{e.attr.denominator:x}" if e.op == "num" else repr(e.attr)
                lines.append(f"{e.op} {attr} {[number[a] for a in e.args]}")
        lines.append(f"= {number[root]}")
    return "\n".join(lines)


def fingerprint(claim: Claim) -> bytes:
    """SHA-256 of the claim, its conditions and the definitions of its model."""
    m = claim.model
    head = [claim.relation, *(f"{c.kind} {c.subject!r}" for c in claim.conditions), *(repr(e.left) for e in m.equations),
            repr(m.loss), m.total, repr(sorted(m.simplex)), m.initial, *sorted(m.backward)]
    return sha256("\n".join([*head, serial(claim.left, claim.right, *(e.right for e in m.equations))]).encode()).digest()


def prime_and_key(seed: bytes, number: int) -> tuple[int, bytes]:
    """The prime (of 61 bits) and the oracle key of point ``number``.

    >>> p, key = prime_and_key(b"claim", 0)
    >>> p.bit_length(), is_prime(p), len(key), prime_and_key(b"claim", 1)[0] == p
    (61, True, 32, False)
    """
    key = sha256(seed + f"point {number}".encode()).digest()
    k = 0
    while True:
        bits = int.from_bytes(sha256(key + f"prime {k}".encode()).digest()[:8], "big")
        candidate = bits >> (64 - BITS) | 1 << (BITS - 1) | 1
        if is_prime(candidate):
            return candidate, key
        k += 1
