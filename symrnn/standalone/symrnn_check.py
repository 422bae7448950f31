#!/usr/bin/env python3
"""Check certificates of symrnn: ``python symrnn_check.py CERTIFICATE... [--source DOCUMENT]``.

One file, the standard library, nothing of symrnn. It believes no step of a proof: it takes the statement (two sides and the
definitions of a recurrent network) and establishes it again by arithmetic. What is refuted is computed in rational intervals at the
point that the certificate gives. What is proved is computed in a prime field whose prime and points follow from the hash of
the statement, at the sizes and numbers of steps that settle all others by two theorems. The format and the theorems are explained
in docs/certificate.md and docs/small-sizes.md.

Exit status: 0 all certificates stand, 1 one is refused, 2 wrong usage or a file that cannot be read.
"""
import argparse
import hashlib
import heapq
import itertools
import json
import math
import operator
import re
import sys
from fractions import Fraction

FORMAT, VERSION = "symrnn-certificate", 1
MOST_BYTES, MOST_NODES, DEEPEST, LONGEST_NUMBER = 2_000_000, 4000, 120, 200
MOST_POINTS, LARGEST_SIZE, MOST_STEPS, MOST_ENTRIES, MOST_WORK = 600, 9, 14, 4000, 450_000
ENOUGH = 60                # an error of 2^-60 or less is wanted
WORDS = ("proved", "conditional", "refuted")
RANK = "a derivative of rank 3 or more, whose layout is a convention"
NOT_CHECKED = "that the formula as read is what the text means"


class Refused(Exception):
    """The certificate does not establish what it states, or is no certificate; the message says why."""


class Outside(Exception):
    """The rules for all sizes and every T do not cover a construct."""


class Missing(Exception):
    """A printed symbol does not exist at a step: the statement does not speak of it."""


class BadPoint(Exception):
    """A value is not defined at this point, or an enclosure is too wide to say."""


def need(condition, message):
    if not condition:
        raise Refused(message)


# ------------------------------------------------------------------------------------------------------------- reading a certificate
def load(text):
    """The JSON value of a text; refuses what is too large or too deep, floats, and keys that occur twice."""
    need(len(text) <= MOST_BYTES, f"a certificate has at most {MOST_BYTES} characters, this has {len(text)}")

    def pairs(items):
        found = dict(items)
        need(len(found) == len(items), "a key occurs twice in one object")
        return found

    def number(digits):
        need(len(digits) <= 18, "an integer is too long")
        return int(digits)

    def no_float(digits):
        raise Refused(f"the number {digits[:30]} is no integer")
    try:
        return json.loads(text, object_pairs_hook=pairs, parse_int=number, parse_float=no_float, parse_constant=no_float)
    except RecursionError:
        raise Refused("it is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"it is no JSON: {error}") from None


def fields(value, names, where, optional=()):
    """The values of an object that has exactly these keys."""
    need(isinstance(value, dict), f"{where} must be an object")
    extra = sorted(set(value) - set(names) - set(optional))
    missing = sorted(set(names) - set(value))
    need(not extra, f"{where} has the unknown key {extra[:1]}")
    need(not missing, f"{where} lacks the key {missing[:1]}")
    return [value.get(name) for name in (*names, *optional)]


def text_of(value, where, longest=400):
    need(isinstance(value, str) and len(value) <= longest, f"{where} must be a short text")
    return value


def whole(value, where, low=-999, high=999):
    need(type(value) is int and low <= value <= high, f"{where} must be an integer from {low} to {high}")
    return value


def listed(value, where, longest=MOST_NODES):
    need(isinstance(value, list) and len(value) <= longest, f"{where} must be a list of at most {longest}")
    return value


def rational(value, where):
    need(isinstance(value, str) and len(value) <= LONGEST_NUMBER and re.fullmatch(r"-?\d+(/\d+)?", value), f"{where} must be a fraction")
    top, _, bottom = value.partition("/")
    need(not bottom or int(bottom), f"{where} has the denominator 0")
    return Fraction(int(top), int(bottom or 1))


def canonical(value):
    """The bytes that are hashed: JSON with sorted keys and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def hash_of(certificate):
    """The hash of all of a certificate but the hash."""
    return hashlib.sha256(canonical({key: value for key, value in certificate.items() if key != "hash"})).hexdigest()


# --------------------------------------------------------------------------------------------------------------------------- sizes
PIECE = re.compile(r"\s*([+-]?)\s*([^\s+-]+)\s*")
NAME = re.compile(r"\??[^\W\d][\w{}\\'.]*")


class Size:
    """A sum of products of names: {sorted names: multiple}; equal sizes are equal objects of one text."""

    known = {}

    def __new__(cls, value):
        need(type(value) is int and value >= 0 or isinstance(value, str) and 0 < len(value) <= 200, "a size must be a name or a number")
        found = {}
        end = 0
        for m in PIECE.finditer(str(value)):
            factors = [f.strip() for f in m[2].split("*")]
            if m.start() != end or (end and not m[1]) or not all(NAME.fullmatch(f) or f.isdecimal() for f in factors):
                break
            end = m.end()
            key = tuple(sorted(f for f in factors if not f.isdecimal()))
            found[key] = found.get(key, 0) + math.prod(int(f) for f in factors if f.isdecimal()) * (-1 if m[1] == "-" else 1)
        if end != len(str(value)):
            found = {(value,): 1}
        return cls.made(found)

    @classmethod
    def made(cls, found):
        terms = tuple(sorted((k, n) for k, n in found.items() if n))
        if terms not in cls.known:
            self = object.__new__(cls)
            self.terms = terms
            self.names = tuple(sorted({name for key, _ in terms for name in key}))
            self.text = "+".join("*".join((*([str(n)] if n != 1 or not k else []), *k)) for k, n in terms) or "0"
            self.plain = all(len(k) < 2 and n > 0 for k, n in terms)
            cls.known[terms] = self
        return cls.known[terms]

    def plus(self, other, sign=1):
        found = dict(self.terms)
        for k, n in other.terms:
            found[k] = found.get(k, 0) + sign * n
        return Size.made(found)

    def at(self, sizes):
        """The value at given sizes."""
        try:
            n = sum(k * math.prod(sizes[name] for name in key) for key, k in self.terms)
        except KeyError as error:
            raise Refused(f"the size {error.args[0]} has no value") from None
        need(0 <= n <= MOST_ENTRIES, f"the size {self.text} has the value {n}")
        return n


ONE = Size(1)
SCALAR = (ONE, ONE)


# --------------------------------------------------------------------------------------------------------------------------- trees
class Index:
    """A component index and the size it runs over, from 1."""

    def __init__(self, name, size):
        self.name, self.size = name, size

    def __eq__(self, other):
        return isinstance(other, Index) and (self.name, self.size) == (other.name, other.size)

    def __hash__(self):
        return hash((self.name, self.size.text))


class Symbol:
    """A named quantity; ``time`` is (letter, offset), with the letter "" for absolute steps and "T" for the last, or None."""

    def __init__(self, name, shape, kind, time):
        self.name, self.shape, self.kind, self.time = name, shape, kind, time

    def __eq__(self, other):
        return isinstance(other, Symbol) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.name, self.kind, self.time))


class Node:
    """An operation on other nodes; ``letters`` and ``indices`` are the time letters and component indices that are free in it."""

    def __init__(self, number, op, args, attr):
        self.number, self.op, self.args, self.attr = number, op, args, attr
        self.depth = 1 + max((a.depth for a in args), default=0)
        self.fault = max((a.fault for a in args if a.fault), key=lambda f: f != RANK, default=None)
        self.shape = None
        if self.fault is None:
            self.shape, self.fault = shape_of(op, [a.shape for a in args], attr, args)
        self.letters = {x for a in args for x in a.letters} | {x for x, _ in self.times()}
        self.indices = {i for a in args for i in a.indices}
        self.bases = {x for a in args for x in a.bases} | {x for x, _ in self.times()}
        if op == "tsum":
            self.bases -= {attr[0]}
            self.letters = (args[0].letters - {attr[0]}) | {x for x, _ in attr[1:]}
        if op in ("entry", "delta"):
            self.indices |= {i for i in attr if isinstance(i, Index)}
        if op == "isum":
            self.indices -= {attr}
        self.letters -= {"", "T"}
        self.ordered = (sorted(self.letters), sorted(self.indices, key=lambda i: (i.name, i.size.text)))

    def times(self):
        """The steps that the node itself names."""
        if self.op == "sym":
            return [self.attr.time] if self.attr.time else []
        return list(self.attr) if self.op == "mpow" else [("T", 0)] if self.op == "steps" else []


def walk(*roots):
    """Every node below some nodes, once."""
    seen, todo, out = set(), list(roots), []
    while todo:
        x = todo.pop()
        if x.number not in seen:
            seen.add(x.number)
            out.append(x)
            todo += x.args
    return out


def shape_of(op, shapes, attr, args):
    """The shape of a node, or (None, the fault)."""
    first = shapes[0] if shapes else None
    columns = all(s[1] == ONE for s in shapes)
    if op == "sym":
        return attr.shape, None
    if op in ("num", "size", "steps", "delta", "isum", "tsum"):
        return (first if shapes else SCALAR), None
    if op in ("ones", "zeros"):
        return attr, None
    if op == "eye":
        return (attr, attr), None
    if op in ("add", "had"):
        return (first, None) if all(s == first for s in shapes) else (None, "the shapes of the terms or factors differ")
    if op == "smul":
        return (shapes[1], None) if first == SCALAR else (None, "a scalar factor has the shape of a matrix")
    if op == "matmul":
        return ((first[0], shapes[1][1]), None) if first[1] == shapes[1][0] else (None, "the inner sizes of a product differ")
    if op == "transpose":
        return first[::-1], None
    if op in ("pow", "apply"):
        return first, None
    if op in ("mpow", "inv", "mexp"):
        return (first, None) if first[0] == first[1] else (None, "a power or inverse of what is not square")
    if op in ("softmax", "lse", "diag", "slice", "cat") and not columns:
        return None, f"{op} of what is no column"
    if op in ("softmax", "lse", "sum"):
        return (first if op == "softmax" else SCALAR), None
    if op == "diag":
        return (first[0], first[0]), None
    if op == "entry":
        for size, at in zip(first, attr):
            if at is None and size != ONE or isinstance(at, Index) and at.size != size:
                return None, "a component index does not fit the axis"
            if type(at) is int and not size.names and not 1 <= at <= size.at({}):
                return None, "a component does not exist"
        return SCALAR, None
    if op in ("cat", "window"):
        return (attr, ONE), None
    if op == "slice":
        gaps = (attr[0].plus(ONE, -1), first[0].plus(attr[1], -1))
        beyond = any(not g.names and sum(n for _, n in g.terms) < 0 for g in gaps)
        return (None, "components do not exist") if beyond else ((attr[2], ONE), None)
    if op == "deriv":
        top, bottom = shapes
        if SCALAR in (top, bottom):
            return (bottom if top == SCALAR else top), None
        return ((top[0], bottom[0]), None) if columns else (None, RANK)
    if op == "vcall":
        return attr[1], None
    if op == "vjac":
        value, by = attr[1], shapes[attr[2]]
        if by[1] == ONE:
            return (value[0], by[0]), None
        return ((by[1], by[0]), None) if value == SCALAR else (None, "a Jacobian by a matrix")
    raise Refused(f"the unknown operation {op}")


ARITY = {"sym": 0, "num": 0, "size": 0, "steps": 0, "ones": 0, "zeros": 0, "eye": 0, "delta": 0, "smul": 2, "matmul": 2, "had": 2,
         "transpose": 1, "pow": 1, "mpow": 1, "inv": 1, "mexp": 1, "apply": 1, "softmax": 1, "lse": 1, "sum": 1, "diag": 1, "entry": 1,
         "isum": 1, "tsum": 1, "slice": 1, "window": 1, "deriv": 2}
KINDS = ("parameter", "input", "target", "variable", "constant", "adjoint", "gradient")
CONDITIONS = ("simplex", "zero", "past-zero", "equal", "distinct", "before-end", "at-end", "beyond-zero", "immediate")


class Statement:
    """What a certificate states: two sides, the network, the conditions."""

    def __init__(self, value):
        relation, nodes, left, right, model, conditions = fields(
            value, ("relation", "nodes", "left", "right", "model", "conditions"), "the statement")
        need(relation == "=", "only the relation = is checked")
        self.nodes, self.same = [], {}
        for row in listed(nodes, "nodes"):
            self.add(row)
        self.left, self.right = self.node(left), self.node(right)
        self.read_model(model)
        self.read_conditions(conditions)
        for a in {x.attr.name: x.attr.shape for x in walk(*self.roots()) if x.op == "sym"}.items():
            need(a[0] not in self.known or self.known[a[0]].shape == a[1], f"the symbol {a[0]} has two shapes")
        timed = {}
        for x in walk(*self.roots()):
            if x.op == "sym" and x.attr.kind not in ("adjoint", "gradient"):
                need(timed.setdefault(x.attr.name, (x.attr.time is None, x.attr.shape)) == (x.attr.time is None, x.attr.shape),
                     f"the symbol {x.attr.name} is used in two ways")
        self.sizes = sorted({n for x in walk(*self.roots()) for s in sizes_in(x) for n in s.names})
        need(len(self.sizes) <= 8, "there are more than 8 sizes")

    def roots(self):
        return [self.left, self.right, *(right for _, right in self.equations)]

    def node(self, number):
        return self.nodes[whole(number, "a node number", 0, len(self.nodes) - 1)]

    def add(self, row):
        """Read one row of the table: [operation, arguments, attribute]; equal rows become one node."""
        need(isinstance(row, list) and len(row) == 3, "a node must be [operation, arguments, attribute]")
        op, args = row[0], [self.node(k) for k in listed(row[1], "arguments", 200)]
        need(isinstance(op, str) and (op in ARITY or op in ("add", "cat", "vcall", "vjac")), f"the unknown operation {op!r}")
        need(len(args) == ARITY.get(op, len(args)) and (args or op in ARITY), f"the operation {op} has {len(args)} arguments")
        attr = self.attribute(op, row[2], args)
        key = (op, tuple(a.number for a in args), attr)
        if key not in self.same:
            self.same[key] = Node(len(self.same), op, args, attr)
        need(self.same[key].depth <= DEEPEST, "an expression is nested too deeply")
        self.nodes.append(self.same[key])

    def attribute(self, op, a, args):
        if op == "sym":
            name, shape, kind, time = fields(a, ("name", "shape", "kind", "time"), "a symbol")
            need(kind in KINDS, f"the unknown kind {kind!r}")
            return Symbol(text_of(name, "a name"), read_shape(shape), kind, None if time is None else read_time(time))
        if op == "num":
            return rational(a, "a number")
        if op in ("size", "eye", "cat", "window"):
            return Size(a)
        if op in ("ones", "zeros"):
            return read_shape(a)
        if op in ("delta", "entry"):
            need(isinstance(a, list) and len(a) == 2, f"{op} needs two components")
            return tuple(read_index(i, op == "entry") for i in a)
        if op == "isum":
            return read_index(a, False)
        if op == "pow":
            return whole(a, "an exponent", -12, 12)
        if op == "mpow":
            need(isinstance(a, list) and len(a) == 2, "a power of a matrix needs two steps")
            return tuple(read_time(t) for t in a)
        if op == "apply":
            need(a in SLOPES or isinstance(a, str) and re.fullmatch(r"\?[^\s']{1,60}'{0,6}", a), f"the unknown function {a!r}")
            return a
        if op == "tsum":
            need(isinstance(a, list) and len(a) == 3, "a sum over steps needs a letter and two steps")
            letter = text_of(a[0], "a letter", 20)
            need(letter not in ("", "T"), "a sum over steps needs a letter")
            return (letter, read_time(a[1]), read_time(a[2]))
        if op == "slice":
            need(isinstance(a, list) and len(a) == 3, "a slice needs two ends and a size")
            first, last, size = map(Size, a)
            need(last.plus(first, -1).plus(ONE) == size, "the size of a slice does not follow from its ends")
            return (first, last, size)
        if op == "deriv":
            need(a in ("total", "partial", "immediate"), "a derivative is total, partial or immediate")
            return a
        if op in ("vcall", "vjac"):
            need(isinstance(a, list) and len(a) == (2 if op == "vcall" else 3), f"the attribute of {op}")
            number = () if op == "vcall" else (whole(a[2], "an argument", 0, len(args) - 1),)
            return (text_of(a[0], "a name"), read_shape(a[1]), *number)
        need(a is None, f"the operation {op} has no attribute")
        return None

    def read_model(self, value):
        equations, self.loss, total, initial, simplex, self.at_end = fields(
            value, ("equations", "loss", "total", "initial", "simplex", "at_end"), "the model")
        need(initial in ("given", "zero") and type(self.at_end) is bool, "the start of the model")
        self.total, self.zero_start = text_of(total, "the name of the total loss"), initial == "zero"
        self.simplex = {text_of(s, "a name") for s in listed(simplex, "simplex", 50)}
        self.equations, self.known, self.lag = [], {}, 0
        for row in listed(equations, "equations", 60):
            left, right = map(self.node, fields(row, ("left", "right"), "an equation"))
            s = left.attr
            need(left.op == "sym" and s.kind == "variable" and s.time == ("t", 0), "an equation must define a variable at t")
            need(s.name not in {e.name for e, _ in self.equations}, f"{s.name} is defined twice")
            need(right.fault is None and right.shape == s.shape, f"the equation of {s.name} has shapes that do not fit")
            need(not right.indices and right.letters <= {"t"}, f"the equation of {s.name} has a free index")
            self.equations.append((s, right))
        self.names = {s.name: n for n, (s, _) in enumerate(self.equations)}
        self.first, self.states = {name: 1 for name in self.names}, set()
        for n, (s, right) in enumerate(self.equations):
            for x in walk(right):
                need(x.op not in ("deriv", "tsum", "mpow", "steps"), f"the equation of {s.name} holds {x.op}")
                if x.op != "sym":
                    continue
                u = x.attr
                need(u.kind not in ("adjoint", "gradient"), f"the equation of {s.name} holds a derivative")
                need(u.kind != "variable" or u.name in self.names or u.time is None, f"the variable {u.name} has no equation")
                self.known.setdefault(u.name, u)
                if u.time is None:
                    continue
                need(u.time[0] == "t" and u.time[1] <= 0, f"the equation of {s.name} uses a step that is not t or before")
                need(u.time[1] < 0 or u.name not in self.names or self.names[u.name] < n, f"{s.name} is used before it is defined")
                self.first[u.name] = min(self.first.get(u.name, 1), 1 + u.time[1])
                self.lag = max(self.lag, -u.time[1])
                self.states |= {u.name} & set(self.names) if u.time[1] < 0 else set()
            self.known[s.name] = s
        self.behind = {}                                              # what each variable depends on, at any step
        used = {s.name: {x.attr.name for x in walk(right) if x.op == "sym"} for s, right in self.equations}
        for _ in used:
            for name in used:
                self.behind[name] = used[name].union(*(self.behind.get(u, ()) for u in used[name]))
        need(self.lag <= 6, "an equation reaches back more than 6 steps")
        need(self.loss is None or self.loss in self.names and self.known[self.loss].shape == SCALAR, "the loss must be a scalar variable")
        need(self.loss is None or self.total not in self.known, "the total loss has the name of a variable")

    def read_conditions(self, value):
        self.conditions = []
        for row in listed(value, "conditions", 30):
            kind, subject = fields(row, ("kind", "subject"), "a condition")
            need(kind in CONDITIONS, f"the unknown condition {kind!r}")
            self.conditions.append((kind, [read_index(s, False) if isinstance(s, dict) or type(s) is int else text_of(s, "a name")
                                           for s in listed(subject, "a subject", 2)]))
        self.simplex |= {s[0] for kind, s in self.conditions if kind == "simplex"}
        self.zero, self.past, self.marks = ({s[0] for kind, s in self.conditions if kind == k} for k in ("zero", "past-zero", "at-end"))
        self.ties = [(kind, s) for kind, s in self.conditions if kind in ("equal", "distinct")]
        need(all(len(s) == 2 for _, s in self.ties), "a condition on indices needs two")
        bound = self.simplex & (self.zero | self.past | self.marks) | self.zero & self.marks
        need(not bound, f"the conditions on {sorted(bound)[:1]} contradict each other")
        for name in self.simplex | self.zero | self.marks:
            need(name not in self.names, f"the condition on {name}, which is computed")
        for name in self.simplex & set(self.known):
            need(self.known[name].shape[1] == ONE, f"{name} sums to one and is no column")

    def states_condition(self, kind):
        return any(k == kind for k, _ in self.conditions)


def read_shape(value):
    need(isinstance(value, list) and len(value) == 2, "a shape must be two sizes")
    return (Size(value[0]), Size(value[1]))


def read_time(value):
    need(isinstance(value, list) and len(value) == 2, "a step must be a letter and an offset")
    return (text_of(value[0], "a letter", 20), whole(value[1], "an offset", -12, 12))


def read_index(value, optional):
    if value is None and optional:
        return None
    if isinstance(value, dict):
        name, size = fields(value, ("name", "size"), "an index")
        return Index(text_of(name, "a name", 60), Size(size))
    return whole(value, "a component", 1, 40)


def sizes_in(x):
    """The sizes that a node mentions."""
    if x.op == "sym":
        return x.attr.shape
    if x.op in ("ones", "zeros", "slice"):
        return x.attr
    if x.op in ("eye", "size", "cat", "window"):
        return (x.attr,)
    if x.op in ("entry", "delta"):
        return tuple(i.size for i in x.attr if isinstance(i, Index))
    return (x.attr.size,) if x.op == "isum" else x.attr[1] if x.op in ("vcall", "vjac") else ()


# ------------------------------------------------------------------------------------------------------------------ two number systems
class Field:
    """Integers modulo a prime of 128 bits that follows from the hash of the statement; functions are tables of hashes.

    A table keeps what the rules need: exp(k x) = exp(x)^k, log and exp inverse to each other, and the functions that are rational in
    exp, or in the tangent of half the angle, as that. What is equal for every such table is equal for the real functions.
    """

    def __init__(self, seed):
        self.key = hashlib.sha256(b"points of " + seed).digest()
        self.prime = next(p for p in self.candidates() if self.is_prime(p))
        self.exps, self.logs, self.bases = {0: 1}, {1: 0}, {}
        self.calls = self.work = 0

    def candidates(self):
        for k in itertools.count():
            yield int.from_bytes(hashlib.sha256(self.key + b"prime %d" % k).digest()[:16], "big") | 1 << 127 | 1

    def is_prime(self, n):
        """Miller and Rabin with 13 small bases and 24 that follow from the hash: a composite passes with probability 4^-24."""
        small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
        if any(n % q == 0 for q in small):
            return False
        r = ((n - 1) & (1 - n)).bit_length() - 1
        bases = [int.from_bytes(hashlib.sha256(self.key + b"base %d" % k).digest()[:15], "big") + 2 for k in range(24)]
        for base in (*small, *bases):
            x = pow(base, (n - 1) >> r, n)
            if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(r - 1)):
                return False
        return True

    def norm(self, x):
        return x % self.prime

    def number(self, q):
        return q.numerator * self.inverse(q.denominator) % self.prime

    def inverse(self, x):
        if x % self.prime == 0:
            raise BadPoint("a division by zero")
        return pow(x, -1, self.prime)

    def hash(self, *parts):
        return int.from_bytes(hashlib.blake2b(repr(parts).encode(), key=self.key, digest_size=24).digest(), "big") % self.prime

    def equal(self, a, b):
        return (a - b) % self.prime == 0

    def relate(self, x, value):
        if x not in self.exps and value not in self.logs:
            self.exps[x], self.logs[value] = value, x

    def exp(self, x):
        """exp(k y) = exp(y)^k for small k: y is half of the first argument that was met."""
        if x not in self.exps:
            k, y = next(((k, y) for k in (1, 2, 4, -1, -2, -4, 3, -3) if (y := x * self.inverse(k) % self.prime) in self.bases), (2, None))
            if y is None:
                y = x * self.inverse(2) % self.prime
                self.bases[y] = self.hash("exp", y)
            self.relate(x, pow(self.bases[y], k, self.prime))
            self.exps.setdefault(x, pow(self.bases[y], k, self.prime))
        return self.exps[x]

    def log(self, x):
        if x == 0:
            raise BadPoint("the logarithm of zero")
        if x not in self.logs:
            mirror = self.logs.get(self.inverse(x))
            self.relate(self.hash("log", x) if mirror is None else -mirror % self.prime, x)
        return self.logs[x]

    def half_angle(self, x):
        p = self.prime
        return 0 if x == 0 else self.hash("half", x) if x <= p // 2 else -self.hash("half", p - x) % p

    def function(self, name, x):
        """The value of a function at an element."""
        self.calls += 1
        p = self.prime
        if name in ("exp", "log"):
            return getattr(self, name)(x)
        if name == "id":
            return x
        if name == "recip":
            return self.inverse(x)
        if name in ("tanh", "sinh", "cosh"):
            e = self.exp(x) ** 2 % p
            top, bottom = {"tanh": (e - 1, e + 1), "sinh": (e - 1, 2 * self.exp(x)), "cosh": (e + 1, 2 * self.exp(x))}[name]
            return top * self.inverse(bottom) % p
        if name == "sigmoid":
            value = self.exp(x) * self.inverse(1 + self.exp(x)) % p
            self.relate((x - self.log((1 + self.exp(x)) % p)) % p, value)
            return value
        if name == "softplus":
            return self.log((1 + self.exp(x)) % p)
        if name in ("sin", "cos"):
            h = self.half_angle(x)
            return (2 * h if name == "sin" else 1 - h * h) * self.inverse(1 + h * h) % p
        if name == "relu":
            return x * self.function("step", x) % p
        if x == 0 and name in ("step", "sqrt"):
            return 0
        return self.hash(name, x)


class Interval:
    """All numbers from ``low`` to ``high`` in units of 2^-bits, rounded outward."""

    __slots__ = ("low", "high")
    bits = 256

    def __init__(self, low, high):
        self.low, self.high = low, high

    @classmethod
    def of(cls, q):
        top = q.numerator << cls.bits
        return cls(top // q.denominator, -(-top // q.denominator))

    def __add__(self, other):
        return self if isinstance(other, int) else Interval(self.low + other.low, self.high + other.high)

    __radd__ = __add__           # a sum begins with the integer 0, the only integer that an interval meets

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends) >> self.bits, -(-max(ends) >> self.bits))

    def inverse(self):
        if self.low <= 0 <= self.high:
            raise BadPoint("a division by what may be zero")
        unit = 1 << 2 * self.bits
        return Interval(unit // self.high, -(-unit // self.low))

    def apart(self, other):
        return self.high < other.low or other.high < self.low

    def monotone(self, rule):
        """The image under an increasing function; ``rule`` encloses its value at one end."""
        return Interval(rule(self.low).low, rule(self.high).high)

    def __str__(self):
        unit = 1 << self.bits
        near = abs(self.high) < unit << 900
        return f"{float(Fraction(self.low, unit)):.12g}" if near else f"about 2^{self.high.bit_length() - self.bits}"


def exp_at(x):
    """An enclosure of exp at x 2^-bits, by Taylor's series of x / 2^k and k squarings."""
    bits = Interval.bits
    if abs(x) >> bits > 2000:
        raise BadPoint("an exponential that is too large")
    k = max(0, x.bit_length() - bits + 8)
    y = Interval(x >> k, -(-x >> k))
    one = Interval(1 << bits, 1 << bits)
    total, term, n = one, one, 0
    while max(abs(term.low), abs(term.high)) > 1:
        n += 1
        term = term * y
        term = Interval(term.low // n, -(-term.high // n))
        total = total + term
    total = Interval(total.low - 4, total.high + 4)           # |y| < 1/128: the rest is below the last term, which is below one unit
    for _ in range(k):
        total = total * total
    return Interval(max(total.low, 0), total.high)


def log_at(x):
    """An enclosure of log at x 2^-bits: k log 2 + 2 artanh((m - 1)/(m + 1)) with x = m 2^k and m near 1."""
    bits = Interval.bits
    if x <= 0:
        raise BadPoint("the logarithm of what may not be positive")
    one = 1 << bits
    k = x.bit_length() - 1 - bits
    m = Fraction(x, one) / Fraction(2) ** k
    parts = artanh(Interval.of((m - 1) / (m + 1)))
    two = artanh(Interval.of(Fraction(1, 3)))
    return Interval(2 * parts.low, 2 * parts.high) + Interval(*sorted((2 * k * two.low, 2 * k * two.high)))


def artanh(z):
    """z + z^3/3 + z^5/5 + ... for 0 <= z <= 1/3."""
    square, term, total, n = z * z, z, z, 1
    while term.high > 1:
        n += 2
        term = term * square
        total = total + Interval(term.low // n, -(-term.high // n))
    return Interval(total.low, total.high + 4)


def sine(x, cosine):
    """An enclosure of sin or cos at an interval: the series at its middle, and its radius, since both have slopes up to 1."""
    bits = Interval.bits
    middle, radius = (x.low + x.high) // 2, (x.high - x.low) // 2 + 1
    if abs(middle) >> bits > 64:
        raise BadPoint("an angle that is too large")
    y = Interval(middle, middle)
    term = Interval(1 << bits, 1 << bits) if cosine else y
    total, n = term, 0 if cosine else 1
    while max(abs(term.low), abs(term.high)) > 1 or n < 2 * (abs(middle) >> bits) + 4:
        term = -(term * y * y)
        term = Interval(term.low // ((n + 1) * (n + 2)), -(-term.high // ((n + 1) * (n + 2))))
        total, n = total + term, n + 2
    return Interval(total.low - radius - 4, total.high + radius + 4)


class Reals:
    """Rational intervals; an unspecified function is the polynomial that the certificate gives."""

    def __init__(self, polynomials):
        self.polynomials, self.work = polynomials, 0

    def norm(self, x):
        return x

    def number(self, q):
        return Interval.of(Fraction(q))

    def inverse(self, x):
        return x.inverse()

    def function(self, name, x):
        one = self.number(1)
        if name.startswith("?"):
            base, order = name.rstrip("'"), len(name) - len(name.rstrip("'"))
            need(base in self.polynomials, f"the function {base} has no polynomial")
            row = self.polynomials[base]
            for _ in range(order):
                row = [k * c for k, c in enumerate(row)][1:] or [Fraction(0)]
            total = self.number(0)
            for c in reversed(row):
                total = total * x + self.number(c)
            return total
        if name in ("id", "recip"):
            return x if name == "id" else x.inverse()
        if name == "exp":
            return x.monotone(exp_at)
        if name == "log":
            return x.monotone(log_at)
        if name == "sqrt":
            if x.low <= 0:
                raise BadPoint("the root of what may not be positive")
            low, high = (math.isqrt(v << Interval.bits) for v in (x.low, x.high))
            return Interval(low, high + 1)
        if name in ("sin", "cos"):
            return sine(x, name == "cos")
        if name in ("step", "relu"):
            if x.low <= 0 <= x.high:
                raise BadPoint("a kink")
            return (one if name == "step" else x) if x.low > 0 else self.number(0)
        if name == "softplus":
            return x.monotone(lambda v: (one + exp_at(v)).monotone(log_at))
        if name == "sigmoid":
            return x.monotone(lambda v: (one + exp_at(-v)).inverse())
        if name == "tanh":
            return x.monotone(lambda v: one - (one + one) * (one + exp_at(2 * v)).inverse())
        if name in ("sinh", "cosh"):
            up, down = x.monotone(exp_at), (-x).monotone(exp_at)
            return (up + down if name == "cosh" else up - down) * self.number(Fraction(1, 2))
        raise BadPoint(f"the function {name} has no enclosure")


# --------------------------------------------------------------------------------------------------------------- matrices with a memory
class Mat:
    """A matrix, and what it was made of: every operation remembers how a derivative goes back through it.

    ``axes`` are the sizes of its axes. The rest serves the theorem on sizes: ``width`` counts, for every size, the summed indices of
    a monomial; ``dens`` the powers of each denominator that is a sum; ``pure`` is (a denominator, k) if the matrix is
    entrywise a function of the data times the k-th power of it. ``degree`` bounds the degrees of top and bottom as a
    fraction. ``far`` is 1 for a state, 2 for what is computed from states, else 0.
    """

    __slots__ = ("rows", "axes", "width", "dens", "pure", "degree", "far", "parents", "key", "step", "serial")

    def __init__(self, rows, axes, width, dens, degree, far, parents, serial):
        self.rows, self.axes, self.width, self.dens, self.degree, self.far, self.parents = rows, axes, width, dens, degree, far, parents
        self.pure = self.key = self.step = None
        self.serial = serial


SLOPES = {
    "id": lambda c, u, v: c.fill(1, u), "tanh": lambda c, u, v: c.minus(c.fill(1, u), c.had(v, v)),
    "sigmoid": lambda c, u, v: c.minus(v, c.had(v, v)), "relu": lambda c, u, v: c.apply("step", u), "step": lambda c, u, v: c.fill(0, u),
    "softplus": lambda c, u, v: c.apply("sigmoid", u), "exp": lambda c, u, v: v, "log": lambda c, u, v: c.apply("recip", u),
    "recip": lambda c, u, v: c.times(-1, c.had(v, v)), "sin": lambda c, u, v: c.apply("cos", u),
    "cos": lambda c, u, v: c.times(-1, c.apply("sin", u)), "sinh": lambda c, u, v: c.apply("cosh", u),
    "cosh": lambda c, u, v: c.apply("sinh", u), "sqrt": lambda c, u, v: c.apply("recip", c.times(2, v)),
}
"""The derivative of each function at u, where its value is v."""


class Calc:
    """Arithmetic of matrices over one number system, at given sizes.

    ``classes`` is None for plain arithmetic. Else functions of sums are functions of new unknowns, one for each class of equal
    arguments (the first step of the theorem on sizes), and ``seen`` keeps the arguments.
    """

    def __init__(self, ring, sizes, names, classes=None, cut=False, ratios=True):
        self.ring, self.sizes, self.names, self.classes, self.cut, self.ratios = ring, sizes, names, classes, cut, ratios
        self.none = (0,) * (len(names) + 1)
        self.seen, self.closed, self.fresh, self.most, self.needed, self.free = {}, {}, {}, 1, self.none, self.none
        self.own, self.kinds = (self.none, self.none), {}
        self.serial = itertools.count()

    # -- bookkeeping
    def unit(self, *axes):
        """One summed index for each axis: by size, and in all."""
        found = [sum(name in a.names for a in axes) for name in self.names]
        return (*found, sum(bool(a.names) for a in axes))

    def make(self, rows, axes, parts, width=None, dens=None, degree=None, parents=(), moved=False):
        self.ring.work += 8 + len(rows) * max(1, len(rows[0]) if rows else 1)
        if self.ring.work > MOST_WORK:
            raise Outside("the computation is too long")
        if width is None:
            width = self.none
            for m in parts:
                if m.width != width:
                    width = tuple(map(max, width, m.width))
        if dens is None:
            dens = {}
            for m in parts:
                for k, n in m.dens.items():
                    dens[k] = max(n, dens.get(k, 0))
        far = max((m.far for m in parts), default=0)
        degree = degree if degree is not None else max((m.degree for m in parts), default=1)
        self.most = max(self.most, degree)
        return Mat(rows, axes, width, dens, degree, far if moved or not far else 2, parents, next(self.serial))

    def product(self, a, b, extra):
        """Width, denominators and degree of a product that sums over some axes."""
        width = tuple(x + y + z for x, y, z in zip(a.width, b.width, extra))
        dens = dict(a.dens)
        for k, n in b.dens.items():
            dens[k] = dens.get(k, 0) + n
        return width, dens, a.degree + b.degree

    def require(self, m, indices, before):
        """The most summed and free indices of equations: those before, and m = 0."""
        free = self.unit(*m.axes, *(i.size for i in indices))
        return tuple(map(max, before[0], self.total_width(m))), tuple(map(max, before[1], free))

    def total_width(self, m):
        """The summed indices once denominators are cleared."""
        out = list(m.width)
        for key, power in m.dens.items():
            out = [x + power * y for x, y in zip(out, self.closed[key])]
        return out

    # -- operations
    def leaf(self, rows, axes):
        return self.make(rows, axes, ())

    def fill(self, q, like):
        x = self.ring.number(Fraction(q))
        return self.leaf([[x] * len(row) for row in like.rows], like.axes)

    def blank(self, axes):
        zero = self.ring.number(Fraction(0))
        return self.leaf([[zero] * axes[1].at(self.sizes) for _ in range(axes[0].at(self.sizes))], axes)

    def eye(self, size):
        zero, one = self.ring.number(Fraction(0)), self.ring.number(Fraction(1))
        n = size.at(self.sizes)
        return self.leaf([[one if i == j else zero for j in range(n)] for i in range(n)], (size, size))

    def add(self, *ms, sort=None):
        """The sum; with ``sort`` a sum over an index of that size."""
        if len(ms) == 1 and sort is None:
            return ms[0]
        norm, first = self.ring.norm, ms[0]
        rows = [[norm(sum(xs)) for xs in zip(*rs)] for rs in zip(*(m.rows for m in ms))]
        out = self.make(rows, first.axes, ms, degree=sum(m.degree for m in ms))
        if sort is None:
            out.parents = [(m, lambda bar: bar) for m in ms]
            return out
        more = self.unit(sort)
        out.width = tuple(map(operator.add, out.width, more))
        out.parents = [(m, lambda bar: self.widened(bar, more)) for m in ms]
        return out

    def widened(self, m, more):
        return self.make(m.rows, m.axes, (m,), width=tuple(map(operator.add, m.width, more)))

    def times(self, q, m):
        x, norm = self.ring.number(Fraction(q)), self.ring.norm
        out = self.make([[norm(x * y) for y in row] for row in m.rows], m.axes, (m,), moved=True)
        out.parents, out.pure = [(m, lambda bar: self.times(q, bar))], m.pure
        return out

    def minus(self, a, b):
        return self.add(a, self.times(-1, b))

    def scaled(self, s, m):
        """A scalar times a matrix."""
        norm, x = self.ring.norm, s.rows[0][0]
        width, dens, degree = self.product(s, m, self.none)
        out = self.make([[norm(x * y) for y in row] for row in m.rows], m.axes, (s, m), width, dens, degree)
        out.parents = [(s, lambda bar: self.total(self.had(bar, m))), (m, lambda bar: self.scaled(s, bar))]
        out.pure = self.purity(s, m)
        return out

    def had(self, a, b):
        norm = self.ring.norm
        width, dens, degree = self.product(a, b, self.none)
        out = self.make([[norm(x * y) for x, y in zip(r, s)] for r, s in zip(a.rows, b.rows)], a.axes, (a, b), width, dens, degree)
        out.parents = [(a, lambda bar: self.had(bar, b)), (b, lambda bar: self.had(bar, a))]
        out.pure = self.purity(a, b)
        return out

    def purity(self, a, b):
        """A function of the data times a power of one denominator, if both factors are such."""
        (one, n), (other, m) = ((x.pure or (None, 0 if self.is_local(x) else None)) for x in (a, b))
        if n is None or m is None or one is other is None or None not in (one, other) and one != other:
            return None
        return (one if one is not None else other, n + m)

    def matmul(self, a, b):
        norm, columns = self.ring.norm, list(zip(*b.rows))
        width, dens, degree = self.product(a, b, self.unit(a.axes[1]))
        inner = max(1, len(b.rows))
        self.ring.work += len(a.rows) * len(columns) * inner
        rows = [[norm(sum(map(operator.mul, row, column))) for column in columns] for row in a.rows] if b.rows else (
            self.blank((a.axes[0], b.axes[1])).rows)
        out = self.make(rows, (a.axes[0], b.axes[1]), (a, b), width, dens, degree * inner)
        out.parents = [(a, lambda bar: self.matmul(bar, self.transpose(b))), (b, lambda bar: self.matmul(self.transpose(a), bar))]
        return out

    def transpose(self, m):
        rows = [list(r) for r in zip(*m.rows)]
        out = self.make(rows, m.axes[::-1], (m,), moved=True)
        out.parents, out.pure = [(m, self.transpose)], m.pure
        return out

    def total(self, m):
        width = tuple(map(operator.add, m.width, self.unit(*m.axes)))
        entries = [x for row in m.rows for x in row]
        rows = [[self.ring.norm(sum(entries)) if entries else self.ring.number(Fraction(0))]]
        out = self.make(rows, SCALAR, (m,), width, degree=m.degree * max(1, len(entries)))
        out.parents = [(m, lambda bar: self.scaled(bar, self.fill(1, m)))]
        return out

    def diag(self, m):
        zero = self.ring.number(Fraction(0))
        out = self.make([[x if i == j else zero for j in range(len(m.rows))] for i, (x,) in enumerate(m.rows)],
                        (m.axes[0], m.axes[0]), (m,))
        out.parents = [(m, lambda bar: self.make([[bar.rows[i][i]] for i in range(len(m.rows))], m.axes, (bar,)))]
        return out

    def entry(self, m, i, j):
        if i > len(m.rows) or j > len(m.rows[0]):
            raise Missing("a component does not exist at these sizes")
        out = self.make([[m.rows[i - 1][j - 1]]], SCALAR, (m,), moved=True)
        out.pure = m.pure

        def back(bar):
            zero = self.ring.number(Fraction(0))
            rows = [[zero] * len(row) for row in m.rows]
            rows[i - 1][j - 1] = bar.rows[0][0]
            return self.make(rows, m.axes, (bar,))
        out.parents = [(m, back)]
        return out

    def stack(self, ms, size):
        rows = [row for m in ms for row in m.rows]
        need(len(rows) == size.at(self.sizes), "a stack has another size than it says")
        out = self.make(rows, (size, ONE), ms, moved=True)
        ends = list(itertools.accumulate((len(m.rows) for m in ms), initial=0))
        out.parents = [(m, lambda bar, a=a, b=b, m=m: self.make(bar.rows[a:b], m.axes, (bar,))) for m, a, b in zip(ms, ends, ends[1:])]
        return out

    def slice(self, m, first, last, size):
        a, b = first.at(self.sizes) - 1, last.at(self.sizes)
        need(0 <= a <= b <= len(m.rows), "a slice reaches beyond its vector")
        zero = self.ring.number(Fraction(0))
        out = self.make(m.rows[a:b], (size, ONE), (m,), moved=True)
        out.parents = [(m, lambda bar: self.make([[zero]] * a + bar.rows + [[zero]] * (len(m.rows) - b), m.axes, (bar,)))]
        out.pure = m.pure
        return out

    def inverse(self, m):
        """Gauss and Jordan."""
        if self.classes is not None:
            raise Outside("the inverse of a matrix")
        ring, n = self.ring, len(m.rows)
        rows = [row + unit for row, unit in zip(m.rows, self.eye(m.axes[0]).rows)]
        for k in range(n):
            pivot = next((r for r in range(k, n) if not self.may_vanish(rows[r][k])), None)
            if pivot is None:
                raise BadPoint("the inverse of what may be singular")
            rows[k], rows[pivot] = rows[pivot], rows[k]
            scale = ring.inverse(rows[k][k])
            rows[k] = [ring.norm(x * scale) for x in rows[k]]
            for r in range(n):
                if r != k:
                    c = rows[r][k]
                    rows[r] = [ring.norm(x - c * y) for x, y in zip(rows[r], rows[k])]
        out = self.make([row[n:] for row in rows], m.axes, (m,), degree=m.degree * (n + 1) ** 2)

        def back(bar):
            turned = self.transpose(out)
            return self.times(-1, self.matmul(self.matmul(turned, bar), turned))
        out.parents = [(m, back)]
        return out

    def may_vanish(self, x):
        return x.low <= 0 <= x.high if isinstance(x, Interval) else x == 0

    # -- functions
    def is_local(self, m):
        """Whether the entries depend on the data at their own indices alone."""
        return not any(m.width) and not m.dens and not (self.cut and m.far == 2)

    def apply(self, name, u):
        if name == "id":
            return u
        rows, width, dens, pure = u.rows, self.none, {}, None
        if self.classes is not None and not self.is_local(u):
            single = u.key is not None and not u.key[1] and not any(a.names for a in u.axes)
            if name == "recip" and u.pure is not None:
                (key, n), = [u.pure]
                pure = (key, -n)
                width = tuple(max(n, 0) * w for w in self.closed[key])
                dens = {key: -n} if n < 0 else {}
            elif name == "recip" and single and not u.dens and not (self.cut and u.far == 2):
                self.closed[u.key] = u.width
                pure, dens = (u.key, 1), {u.key: 1}
            else:
                rows = self.unknowns(u)
        values = [[self.ring.function(name, x) for x in row] for row in rows]
        degree = {"recip": u.degree, "relu": u.degree + 1}.get(name, 8) if rows is u.rows else 8
        self.most = max(self.most, u.degree)
        out = self.make(values, u.axes, (u,), width, dens, degree, moved=True)
        out.pure = pure
        if rows is not u.rows:
            out.far = 0

        def back(bar):
            slope = SLOPES[name](self, u, out) if name in SLOPES else self.apply(name + "'", u)
            return self.had(bar, slope)
        out.parents = [(u, back)]
        return out

    def unknowns(self, u, what=""):
        """The new unknowns that stand for an argument: those of its class."""
        if u.key is None:
            raise Outside("a function of an argument without a name")
        name, indices = u.key
        own = tuple(i for _, i in indices)
        wide = [a != ONE for a in u.axes]
        places = [[(*itertools.compress((r, c), wide), *own) for c in range(1, len(row) + 1)] for r, row in enumerate(u.rows, 1)]
        self.seen.setdefault(name, {}).update(zip(itertools.chain(*places), itertools.chain(*u.rows)))
        self.needed, self.free = self.require(u, [i for i, _ in indices], (self.needed, self.free))
        self.kinds[name] = tuple(a.text for a in (*u.axes, *(i.size for i, _ in indices)) if a != ONE)
        if u.dens:                                                     # two such arguments are never taken for one
            self.kinds[name] += (repr(name),)
        kind, sign, turned = self.classes.get(name, (name, 1, False))
        if what and sign < 0:                                          # the softmax of -u is not that of u with a minus
            kind, sign, turned = name, 1, False

        def unknown(place):
            return self.ring.norm(sign * self.ring.hash("unknown", what, self.sizes, kind, place[::-1] if turned else place))
        return [[unknown(place) for place in row] for row in places]

    def softmax(self, u):
        """exp(u) over its sum; or, where ``ratios`` is false, unknowns of which the derivative alone is known."""
        if self.classes is not None and not self.ratios:
            out = self.make(self.unknowns(u, "softmax"), u.axes, (u,), self.none, {}, 1, moved=True)
            out.far = 0
            out.parents = [(u, lambda bar: self.had(out, self.minus(bar, self.scaled(self.total(self.had(out, bar)), self.fill(1, u)))))]
            return out
        e = self.apply("exp", u)
        s = self.total(e)
        s.key = None if u.key is None else (("sum of exp", u.key[0]), u.key[1])
        out = self.scaled(self.apply("recip", s), e)
        if self.classes is None and isinstance(self.ring, Field):
            top = self.ring.log(s.rows[0][0])
            for x, value in zip(u.rows, out.rows):
                self.ring.relate((x[0] - top) % self.ring.prime, value[0])
        return out

    def log_sum_exp(self, u):
        s = self.total(self.apply("exp", u))
        s.key = None if u.key is None else (("sum of exp", u.key[0]), u.key[1])
        return self.apply("log", s)

    # -- derivatives
    def reverse(self, seeds, blocked=lambda m: False, free=None):
        """{serial: (matrix, derivative by it)} of the sum of <seed, matrix> over pairs (matrix, seed); that by ``free`` is given."""
        found, free = {}, free or {}
        found.update(free)
        heap = [-serial for serial in free]
        heapq.heapify(heap)

        def put(m, bar):
            if m.serial in free:
                return
            if m.serial in found:
                found[m.serial] = (m, self.add(found[m.serial][1], bar))
            else:
                found[m.serial] = (m, bar)
                heapq.heappush(heap, -m.serial)
        for m, bar in seeds:
            put(m, bar)
        done = set()
        while heap:
            serial = -heapq.heappop(heap)
            m, bar = found[serial]
            need(serial not in done, "the computation is not in order")
            done.add(serial)
            if not blocked(m):
                for parent, back in m.parents:
                    put(parent, back(bar))
        return found


# ------------------------------------------------------------------------------------------------------------------------ a network
class Network:
    """The network of a statement at one point, over the steps ``start`` to ``last`` of 1 to ``T``.

    ``draw(name, step, rows, columns)`` gives the entries of a free symbol. A window that starts after step 1 has free states before
    it; one that ends before T has a free derivative of what comes later. With ``calc.cut`` every step is cut from the others: the states
    that it hands on, and what later steps add to the derivatives, are free (``deep``: one step of that is computed).
    """

    def __init__(self, statement, calc, T, draw, start=1, last=None, deep=False):
        self.statement, self.calc, self.T, self.draw, self.start, self.deep = statement, calc, T, draw, start, deep
        self.last = T if last is None else last
        self.open_end = self.last < T
        self.values, self.leaves, self.memo, self.passes, self.whole, self.done = {}, {}, {}, {}, None, start - 1
        self.immediate = statement.states_condition("immediate")
        self.extended = statement.states_condition("beyond-zero")

    # -- symbols
    def step(self, time, env):
        base, offset = time
        if base == "":
            return offset
        return (self.T if base == "T" else env[base]) + offset

    def dims(self, shape):
        return [s.at(self.calc.sizes) for s in shape]

    def is_total(self, s):
        return s.name == self.statement.total and s.time is None and self.statement.loss is not None

    def exists(self, name, step):
        """Raises Missing for a step at which a known symbol does not exist."""
        st = self.statement
        if name in st.known and step is not None and not st.first.get(name, 1) <= step <= self.T:
            raise Missing(f"{name} does not exist at step {step}")

    def symbol(self, s, env):
        st, calc = self.statement, self.calc
        step = None if s.time is None else self.step(s.time, env)
        if s.kind in ("adjoint", "gradient"):
            return self.loss_by(s.name, s.shape, step)
        if self.is_total(s):
            return calc.add(*self.losses())
        known = s.name in st.known
        if known:
            need((st.known[s.name].time is None) == (step is None), f"{s.name} is used with and without a step")
        if self.extended and known and step is not None and not st.first.get(s.name, 1) <= step <= self.T:
            return calc.blank(s.shape)
        if step is not None and step < min(1, st.first.get(s.name, 1)) and s.name in st.past:
            return calc.blank(s.shape)
        self.exists(s.name, step)
        if s.name in st.names and step >= self.start:
            if step > self.last:
                raise Outside("a step after the window")
            if (s.name, step) not in self.values:
                self.run(step)
            return self.values[s.name, step]
        return self.leaf(s.name, s.shape, step)

    def leaf(self, name, shape, step):
        """A free symbol; what sums to one is z_i / sum of z for free z."""
        st, calc = self.statement, self.calc
        if (name, step) not in self.leaves:
            rows, columns = self.dims(shape)
            past = step is not None and step < 1 and (name in st.past or st.zero_start and name in st.states)
            if name in st.zero or past:
                m = calc.blank(shape)
            elif name in st.marks:
                m = calc.fill(int(step == self.T), calc.blank(shape))
            else:
                m = calc.leaf(self.draw(name, step, rows, columns), shape)
                if name in st.simplex and isinstance(calc.ring, Field):
                    s = calc.total(m)
                    s.key = (("sum of", name, step), ())
                    m = calc.scaled(calc.apply("recip", s), m)
                    m.parents = ()
            m.step = (name, step)
            m.far = int(name in st.states)
            m.key = ((name, step), ())
            self.leaves[name, step] = m
        return self.leaves[name, step]

    def run(self, last):
        """The equations, step by step."""
        st, calc = self.statement, self.calc
        while self.done < last:
            t = self.done + 1
            for s, right in st.equations:
                m = self.eval(right, {"t": t}, {})
                self.values[s.name, t] = v = calc.make(m.rows, s.shape, (m,), moved=True)
                v.parents, v.pure, v.step, v.key = [(m, lambda bar: bar)], m.pure, (s.name, t), ((s.name, t), ())
                if s.name in st.states and calc.cut:
                    if m.far:
                        rows, columns = self.dims(s.shape)
                        v.rows, v.width, v.dens, v.pure, v.degree = self.draw(s.name, t, rows, columns), calc.none, {}, None, 1
                    v.far = 1
            self.done = t

    # -- values
    def eval(self, x, env, indices):
        if x.fault is not None:
            raise Outside(x.fault)
        try:
            times = tuple([(letter, env[letter]) for letter in x.ordered[0]])
            places = tuple([(i, indices[i]) for i in x.ordered[1]])
        except KeyError as error:
            raise Outside(f"the letter {getattr(error.args[0], 'name', error.args[0])} has no range") from None
        key = (x.number, times, places)
        if key not in self.memo:
            m = self.compute(x, env, indices)
            if m.key is None:
                m.key = ((x.number, times), places)
            self.memo[key] = m
        return self.memo[key]

    def compute(self, x, env, indices):
        c, op, a = self.calc, x.op, x.attr
        if op == "sym":
            return self.symbol(a, env)
        if op == "num":
            return c.leaf([[c.ring.number(a)]], SCALAR)
        if op in ("size", "steps"):
            if op == "steps" and c.classes is not None or op == "size" and c.classes is not None and not a.plain:
                raise Outside("a count as a number")
            n = self.T if op == "steps" else a.at(c.sizes)
            return c.make([[c.ring.number(Fraction(n))]], SCALAR, (), width=c.unit(a) if op == "size" else c.none)
        if op in ("ones", "zeros"):
            return c.fill(int(op == "ones"), c.blank(a))
        if op == "eye":
            return c.eye(a)
        if op == "delta":
            i, j = (indices[k] if isinstance(k, Index) else k for k in a)
            return c.leaf([[c.ring.number(Fraction(int(i == j)))]], SCALAR)
        if op == "isum":
            bodies = [self.eval(x.args[0], env, {**indices, a: k}) for k in range(1, a.size.at(c.sizes) + 1)]
            return c.add(*bodies, sort=a.size) if bodies else c.blank(x.args[0].shape)
        if op == "tsum":
            letter, low, high = a
            steps = range(self.step(low, env), self.step(high, env) + 1)
            need(len(steps) <= 4 * MOST_STEPS, "a sum over too many steps")
            return c.add(*(self.eval(x.args[0], {**env, letter: s}, indices) for s in steps)) if steps else c.blank(x.args[0].shape)
        if op == "deriv":
            return self.derivative(x, env, indices)
        if op in ("mexp", "vcall", "vjac"):
            return self.unspecified(x, env, indices)
        if op == "window":
            return self.window(x, env)
        args = [self.eval(y, env, indices) for y in x.args]
        if op == "mpow":
            return self.power_of_matrix(args[0], self.step(a[0], env) - self.step(a[1], env))
        if op == "entry":
            return c.entry(args[0], *(1 if k is None else indices[k] if isinstance(k, Index) else k for k in a))
        if op == "pow":
            base = args[0] if a >= 0 else c.apply("recip", args[0])
            out = c.fill(1, base)
            for _ in range(abs(a)):
                out = c.had(out, base)
            return out
        if op == "cat":
            return c.stack(args, a)
        if op == "slice":
            return c.slice(args[0], *a)
        if op == "apply":
            return c.apply(a, args[0])
        if op == "smul" and x.args[0].op == "num":
            return c.times(x.args[0].attr, args[1])
        return {"add": c.add, "smul": c.scaled, "matmul": c.matmul, "had": self.all_of, "transpose": c.transpose, "sum": c.total,
                "diag": c.diag, "softmax": c.softmax, "lse": c.log_sum_exp, "inv": c.inverse}[op](*args)

    def all_of(self, first, *others):
        for m in others:
            first = self.calc.had(first, m)
        return first

    def power_of_matrix(self, m, exponent):
        c = self.calc
        if c.classes is not None:
            raise Outside("a power of a matrix whose exponent counts steps")
        if exponent < 0:
            raise Missing("a negative exponent")
        out = c.eye(m.axes[0])
        for _ in range(exponent):
            out = c.matmul(out, m)
        return out

    def window(self, x, env):
        """The last values of a scalar sequence, oldest first."""
        c, s = self.calc, x.args[0].attr
        if c.classes is not None or x.args[0].op != "sym" or s.time is None:
            raise Outside("a window of a sequence")
        last = self.step(s.time, env)
        parts = []
        for n in range(last - x.attr.at(c.sizes) + 1, last + 1):
            zero = n < 1 and s.name in self.statement.past
            parts.append(c.blank(SCALAR) if zero else self.symbol(Symbol(s.name, s.shape, s.kind, ("", n)), env))
        return c.stack(parts, x.attr) if parts else c.blank((x.attr, ONE))

    def unspecified(self, x, env, indices):
        """A vector function of which nothing is known: its values and its Jacobians are hashes of its arguments, or unknowns."""
        c = self.calc
        if x.op == "mexp":
            raise Outside(f"the operation {x.op}")
        args = [self.eval(y, env, indices) for y in x.args]
        if isinstance(c.ring, Reals):
            return self.quadratic(x, args)
        if c.classes is None:
            values = [[[y % c.ring.prime for y in row] for row in m.rows] for m in args]
        else:
            values = ("of", *(m.key for m in args))
            if any(m.key is None or m.key[1] for m in args):
                raise Outside("an unspecified function of a component")
        name, shape = x.attr[:2]
        if any(y.shape[1] != ONE for y in x.args) or shape[1] != ONE:
            raise Outside("an unspecified function of matrices")

        def table(axes, *what):
            rows, columns = self.dims(axes)
            return c.leaf([[c.ring.hash(name, what, c.sizes, i, j, values) for j in range(columns)] for i in range(rows)], axes)

        def jacobian(k):
            return table((shape[0], x.args[k].shape[0]), k)
        if x.op == "vjac":
            return jacobian(x.attr[2])
        out = table(shape)
        out.parents = [(m, lambda bar, k=k: c.matmul(c.transpose(jacobian(k)), bar)) for k, m in enumerate(args)]
        return out

    def quadratic(self, x, args):
        """The instance of a vector function: entry i is the sum over k of a_ik u_k + b_ik u_k^2, over the entries of all arguments."""
        c, (rows, columns) = self.calc, self.dims(x.attr[1])
        table = c.ring.polynomials.get(x.attr[0])
        ends = list(itertools.accumulate((len(m.rows) for m in args), initial=0))
        need(table is not None and len(table) == rows and all(len(r) == ends[-1] and all(len(p) == 2 for p in r) for r in table),
             f"the function {x.attr[0]} has no table of coefficients that fits")
        if columns != 1 or any(m.axes[1] != ONE for m in args):
            raise Outside("an unspecified function of matrices")
        u = [row[0] for m in args for row in m.rows]
        pairs = [[tuple(map(c.ring.number, p)) for p in r] for r in table]
        slopes = [[a + (b + b) * v for (a, b), v in zip(r, u)] for r in pairs]
        parts = [c.leaf([r[low:high] for r in slopes], (x.attr[1][0], m.axes[0])) for m, low, high in zip(args, ends, ends[1:])]
        if x.op == "vjac":
            return parts[x.attr[2]]
        out = c.leaf([[sum(a * v + b * v * v for (a, b), v in zip(r, u))] for r in pairs], x.attr[1])
        out.parents = [(m, lambda bar, j=j: c.matmul(c.transpose(j), bar)) for m, j in zip(args, parts)]
        return out

    # -- derivatives
    def losses(self):
        """The terms of the total loss."""
        st = self.statement
        if self.calc.classes is not None and not self.calc.cut and (self.start > 1 or self.open_end):
            raise Outside("the total loss in a window of steps")
        steps = [self.T] if st.at_end else range(1, self.T + 1)
        self.run(max(steps))
        return [self.values[st.loss, s] for s in steps]

    def later(self, name, shape, step):
        """What the steps after the last of the window add to a derivative."""
        rows, columns = self.dims(shape)
        return self.calc.leaf(self.draw(("later", name), step, rows, columns), shape)

    def handed_on(self, step):
        """The sequences at a step that a later step may read."""
        st = self.statement
        for name, s in st.known.items():
            if s.time is not None and st.first.get(name, 1) <= min(0, step):
                yield name, s.shape, self.symbol(Symbol(name, s.shape, s.kind, ("", step)), {})

    def bars(self, step):
        """{what has a step: derivative of the loss by it} with the derivatives at ``step`` complete, and those by parameters."""
        st, c = self.statement, self.calc
        need(st.loss is not None, "a derivative of the loss of a model without a loss")
        if c.cut:
            return self.cut_bars(step, self.deep)
        if self.whole is None:
            self.run(self.last)
            seeds = [(self.values[st.loss, s], c.leaf([[c.ring.number(Fraction(1))]], SCALAR))
                     for s in range(self.start, self.last + 1) if not st.at_end or s == self.T]
            if self.open_end:
                for s in range(self.last - st.lag + 1, self.last + 1):
                    seeds += [(m, self.later(name, shape, s)) for name, shape, m in self.handed_on(s)] if s >= self.start - 1 else []
            self.whole = {m.step: bar for m, bar in c.reverse(seeds).values() if m.step is not None}
        return self.whole

    def cut_bars(self, step, deep):
        """The same for one step alone, what later steps add being free, or computed from the step after it."""
        st, c = self.statement, self.calc
        if (step, deep) not in self.passes:
            seeds = []
            if step >= 1:
                self.run(step)
                if not st.at_end or step == self.T:
                    seeds.append((self.values[st.loss, step], c.leaf([[c.ring.number(Fraction(1))]], SCALAR)))
            free = {}
            for name, shape, m in self.handed_on(step):
                if not deep:
                    free[m.serial] = (m, self.later(name, shape, step))
                    continue
                links = [self.cut_bars(s, False).get((name, step)) for s in range(max(1, step + 1), min(self.T, step + st.lag) + 1)]
                seeds += [(m, bar) for bar in links if bar is not None]
            found = c.reverse(seeds, lambda m: m.step is not None and m.step[1] not in (step, None), free)
            self.passes[step, deep] = {m.step: bar for m, bar in found.values() if m.step is not None}
        return self.passes[step, deep]

    def loss_by(self, name, shape, step):
        """The derivative of the total loss by a symbol."""
        st, c = self.statement, self.calc
        need(name in st.known and st.loss is not None, f"the derivative of the loss by {name}, which the model does not know")
        need(name not in st.simplex and name not in st.zero | st.marks, f"the derivative by {name}, which a condition ties down")
        need((st.known[name].time is None) == (step is None), f"{name} is used with and without a step")
        if step is not None and step > self.T:
            return c.blank(shape)
        if step is not None:
            self.exists(name, step)
            if step > self.last:
                raise Outside("a step after the window")
            found = self.bars(step).get((name, step))
            return found if found is not None else c.blank(shape)
        if c.cut:
            steps = [self.cut_bars(s, self.deep).get((name, None)) for s in range(1, self.T + 1)]
            found = [bar for bar in steps if bar is not None]
            return c.add(*found) if found else c.blank(shape)
        if c.classes is not None and (self.start > 1 or self.open_end):
            raise Outside("a gradient in a window of steps")
        found = self.bars(1).get((name, None))
        return found if found is not None else c.blank(shape)

    def derivative(self, x, env, indices):
        st, c = self.statement, self.calc
        top, bottom = x.args
        at = None
        if bottom.op == "entry":
            at = [1 if k is None else indices[k] if isinstance(k, Index) else k for k in bottom.attr]
            bottom = bottom.args[0]
        need(bottom.op == "sym" and bottom.attr.kind not in ("adjoint", "gradient") and not self.is_total(bottom.attr),
             "a derivative by something that is not a symbol of the model")
        s = bottom.attr
        step = None if s.time is None else self.step(s.time, env)
        tied = s.name in st.simplex | st.zero | st.marks or step is not None and step < 1 and s.name in st.past
        if tied:
            raise Outside(f"the derivative by {s.name}, which a condition ties down")
        if top.op == "sym" and self.is_total(top.attr):
            whole = self.loss_by(s.name, s.shape, step)
            return whole if at is None else c.entry(whole, *at)
        inner = list(walk(top))
        if any(y.op in ("deriv", "mpow", "tsum") and (c.classes is not None or y.op != "tsum") or
               y.op == "sym" and (y.attr.kind in ("adjoint", "gradient") or self.is_total(y.attr)) for y in inner):
            raise Outside("a derivative of what holds derivatives, sums over steps or the total loss")
        self.exists(s.name, step)
        value = self.eval(top, env, indices)
        kind = st.known.get(s.name, s).kind
        summed = top.op == "tsum" and top.args[0].op == "sym" and top.args[0].attr.name == st.loss
        once = kind in ("parameter", "constant") and (self.immediate or x.attr in ("immediate", "partial")) and not summed
        moment = max((self.step(y.attr.time, env) for y in inner if y.op == "sym" and y.attr.time and y.attr.time[0] in {*env, "", "T"}),
                     default=self.T)
        if step is None and not once and c.cut and any(s.name in st.behind[u] for u in st.states):
            raise Outside("a total derivative by a parameter beside sums over steps")
        target = self.symbol(Symbol(s.name, s.shape, s.kind, None if step is None else ("", step)), env)
        rows = []
        for i, row in enumerate(value.rows):
            for j, _ in enumerate(row):
                seed = c.blank(value.axes)
                seed.rows[i][j] = c.ring.number(Fraction(1))
                rows.append(self.back_to(value, seed, target, s, step, moment if once else None))
        if at is not None:
            by = [c.entry(m, *at) for m in rows]
            wide = len(value.rows[0])
            flat = [[m.rows[0][0] for m in by[k:k + wide]] for k in range(0, len(by), wide)]
            return by[0] if value.axes == SCALAR else c.make(flat, x.shape, tuple(by))
        if value.axes == SCALAR:
            return rows[0]
        flat = [[y for r in m.rows for y in r] for m in rows]
        if s.shape == SCALAR:
            flat = [[r[0] for r in flat[k:k + len(value.rows[0])]] for k in range(0, len(flat), len(value.rows[0]))]
        return c.make(flat, x.shape, tuple(rows), degree=max(m.degree for m in rows))

    def back_to(self, value, seed, target, s, step, moment):
        """The derivative of <seed, value> by a symbol; ``moment`` holds the variables of earlier steps fixed."""
        st, c = self.statement, self.calc

        def blocked(m):
            return moment is not None and m.step is not None and m.step[0] in st.names and m.step[1] < moment
        found = c.reverse([(value, seed)], blocked)
        out = found[target.serial][1] if target.serial in found else c.blank(s.shape)
        if step is None and moment is None and self.start > 1 and s.name in st.known:
            for m, bar in list(found.values()):                        # what the free states before the window hand on, by the chain rule
                if m.step is not None and m.step[0] in st.names and m.step[1] < self.start:
                    out = c.add(out, self.handed_slope(m, bar, s))
        return out

    def handed_slope(self, m, bar, s):
        """A state before the window contributes its own derivative by the parameter, which is free."""
        c = self.calc
        rows, columns = self.dims(s.shape)
        terms = []
        for i, row in enumerate(m.rows):
            for j, _ in enumerate(row):
                slope = c.leaf(self.draw(("slope", m.step[0], s.name, i, j), m.step[1], rows, columns), s.shape)
                terms.append(c.scaled(c.entry(bar, i + 1, j + 1), slope))
        out = c.add(*terms)
        return c.widened(out, c.unit(*m.axes))


# ---------------------------------------------------------------------------------------------- what is proved: at which sizes and steps
class Case:
    """One choice of T and of a window of steps: what it takes to know the statement for all sizes there."""

    def __init__(self, T, start=1, last=None, env=(), cut=False, deep=(False, False), generic=False):
        self.T, self.start, self.last, self.env = T, start, last, dict(env)
        self.cut, self.deep, self.generic, self.ratios = cut, deep, generic, True


def assignments(statement, sizes):
    """The values of the free component indices, as the conditions allow; those on other indices restrict nothing."""
    free = sorted(statement.left.indices | statement.right.indices, key=lambda i: (i.name, i.size.text))
    need(len(free) <= 4, "more than 4 free component indices")
    for row in itertools.product(*(range(1, i.size.at(sizes) + 1) for i in free)):
        chosen = dict(zip(free, row))
        names = {i.name: k for i, k in chosen.items()}
        names.update(chosen)
        values = [[names.get(s, s) for s in pair] for _, pair in statement.ties]
        if all((a == b) == (kind == "equal") for (kind, _), (a, b) in zip(statement.ties, values) if type(a) is type(b) is int):
            yield chosen


class Prover:
    """Establishes an equation at given sizes and steps, or for all sizes and every T, by evaluation in a prime field."""

    def __init__(self, statement, seed):
        self.statement, self.field = statement, Field(seed)
        self.sides = (statement.left, statement.right)
        self.most = 1
        need(not any(side.fault for side in self.sides), "the shapes of the two sides do not fit")
        need(statement.left.shape == statement.right.shape, "the two sides have different shapes")

    # -- one point
    def drawer(self, sizes):
        def draw(name, step, rows, columns):
            return [[self.field.hash("data", sorted(sizes.items()), name, step, i, j) for j in range(columns)] for i in range(rows)]
        return draw

    def networks(self, calc, case):
        make = [Network(self.statement, calc, case.T, self.drawer(calc.sizes), case.start, case.last, deep) for deep in case.deep]
        return make

    def differences(self, calc, case):
        """Both sides for every assignment of the free indices: pairs (assignment, difference)."""
        left, right = self.networks(calc, case)
        for chosen in assignments(self.statement, calc.sizes):
            a, b = left.eval(self.sides[0], case.env, chosen), right.eval(self.sides[1], case.env, chosen)
            need([len(a.rows), *map(len, a.rows)] == [len(b.rows), *map(len, b.rows)], "the two sides have different shapes")
            yield chosen, calc.minus(a, b)

    def exponent(self):
        """k such that a false statement passes with probability 2^-k at most."""
        return math.floor(127 - math.log2(self.most) - math.log2(1 + self.field.calls ** 2))

    # -- finite sizes
    def finite(self, sizes, T):
        """Equality at given sizes and T, at every step and component."""
        st = self.statement
        letters = sorted(st.left.letters | st.right.letters)
        tried = 0
        need(len(letters) < 3, "more than two free steps")
        for row in itertools.product(range(1, T + 1), repeat=len(letters)):
            env = dict(zip(letters, row))
            if st.states_condition("before-end") and env.get("t") == T:
                continue
            calc = Calc(self.field, sizes, st.sizes)
            try:
                found = list(self.differences(calc, Case(T, env=env)))
            except Missing:
                continue
            self.most = max(self.most, calc.most)
            tried += 1
            for chosen, d in found:
                if any(x for r in d.rows for x in r):
                    where = ", ".join([*(f"{k} = {v}" for k, v in env.items()), *(f"{i.name} = {k}" for i, k in chosen.items())])
                    raise Refused(f"the two sides differ at {show_sizes(sizes, T)}" + (f", {where}" if where else ""))
        return tried

    # -- all sizes
    def all_sizes(self, case):
        """Equality at all sizes for one choice of steps; False if it is not established. Raises Missing where it says nothing."""
        st = self.statement
        least = least_sizes(st)
        probe = {name: least[name] + 1 for name in st.sizes}
        calc = Calc(self.field, probe, st.sizes, {}, case.cut, case.ratios)
        for chosen, d in self.differences(calc, case):
            calc.own = calc.require(d, chosen, calc.own)
        calc.needed, calc.free = (tuple(map(max, *pair)) for pair in zip(calc.own, (calc.needed, calc.free)))
        for count, classes in enumerate(self.refinements(calc, least, case)):
            if classes is None or count > 4:
                return False
            needed, free = calc.own
            if all(self.equal_at(sizes, classes, case) for sizes in enough_sizes(st.sizes, least, needed, free)):
                return True
        return False

    def equal_at(self, sizes, classes, case, seen=None):
        """Whether both sides are equal at these sizes; ``seen`` takes the arguments of functions that were met."""
        calc = Calc(self.field, sizes, self.statement.sizes, classes, case.cut, case.ratios)
        equal = all([not any(x for r in d.rows for x in r) for _, d in self.differences(calc, case)])
        self.most = max(self.most, calc.most)
        if seen is not None:
            seen.append((calc.seen, calc.kinds))
        return equal

    def refinements(self, calc, least, case):
        """No classes of arguments, then those that are found to be equal, step by step as functions of equal arguments become equal."""
        classes = {}
        while True:
            yield classes
            seen = []
            for sizes in enough_sizes(self.statement.sizes, least, calc.needed, calc.free):
                self.equal_at(sizes, classes, case, seen)
            merged = self.merged(seen)
            if merged == classes:
                yield None
            classes = merged

    def merged(self, seen):
        """Classes of arguments that are equal, opposite or transposes of each other at every point: there the same unknowns stand."""
        p, found, out = self.field.prime, {}, {}
        for name in sorted(set.intersection(*(set(values) for values, _ in seen)), key=repr):
            def key(sign, turned, name=name):
                kind = seen[0][1][name]
                return (kind[::-1] if turned else kind, *(frozenset((k[::-1] if turned else k, v * sign % p) for k, v in one[name].items())
                                                          for one, _ in seen))
            ways = [(sign, turned) for turned in (False, True) for sign in (1, -1)]
            hit = next(((found[key(*way)], way) for way in ways if key(*way) in found), None)
            if hit is None:
                found[key(1, False)] = name
            else:
                out[name] = (hit[0], *hit[1])
        return out

    # -- every T
    def everything(self):
        """Whether the statement is established for all sizes and every T. Raises Outside with the construct that is not covered."""
        check_layouts(self.statement)
        reasons = []
        for ratios in (False, True):
            for plan in plans(self.statement):
                for case in plan:
                    case.ratios = ratios
                try:
                    if self.every_step(plan):
                        return True
                except Outside as reason:
                    reasons.append(reason)
            if not any(x.op == "softmax" for x in walk(*self.statement.roots())):
                break
        if reasons:
            raise reasons[0]
        return False

    def every_step(self, plan):
        spoken = False
        for case in plan:
            try:
                if not self.all_sizes(case):
                    return False
                spoken = spoken or case.generic
            except Missing as reason:
                if case.generic or any(x.op == "tsum" for x in walk(*self.sides)):
                    raise Outside(str(reason)) from None
        return spoken and self.exponent() >= ENOUGH


def enough_sizes(names, least, needed, free):
    """The sizes at which equality settles all sizes: the fixed indices of each, and as many more as a monomial sums over."""
    fixed = [least[n] - (least[n] == 1) + max(f, 1) for n, f in zip(names, free)]
    ranges = [range(least[n], k + w + 1) for n, k, w in zip(names, fixed, needed)]
    if math.prod(map(len, ranges)) > 20 * MOST_POINTS or any(r[-1] > LARGEST_SIZE for r in ranges):
        raise Outside("too many sizes would be needed")
    rows = [row for row in itertools.product(*ranges) if sum(max(0, n - k) for n, k in zip(row, fixed)) <= needed[-1]]
    if len(rows) > MOST_POINTS:
        raise Outside("too many sizes would be needed")
    return [dict(zip(names, row)) for row in rows]


def show_sizes(sizes, T):
    return ", ".join([*(f"{name}={n}" for name, n in sizes.items()), f"T={T}"])


def least_sizes(statement):
    """For each size the least at which every component exists that is printed as a number."""
    least = dict.fromkeys(statement.sizes, 1)
    for x in walk(*statement.roots()):
        if x.op not in ("entry", "delta"):
            continue
        sizes = x.args[0].shape if x.op == "entry" else [i.size for i in x.attr if isinstance(i, Index)] * 2
        for i, size in zip(x.attr, sizes):
            if type(i) is int and size.names:
                if len(size.terms) > 1 or size.terms[0][1] != 1:
                    raise Outside("a component printed as a number of a vector of several parts")
                least[size.names[0]] = max(least[size.names[0]], i)
    return least


def check_layouts(statement):
    """Sizes must be sums of names, and a vector of parts must have the same parts everywhere: then restricting a size restricts it."""
    layouts, cuts = {}, {}
    for x in walk(*statement.roots()):
        for size in sizes_in(x):
            if not size.plain:
                raise Outside(f"the size {size.text}")
        if x.op == "cat":
            parts = tuple(a.shape[0].text for a in x.args)
            if any(len(a.shape[0].terms) > 1 for a in x.args) or layouts.setdefault(x.attr.text, parts) != parts:
                raise Outside("vectors of different parts that have one size")
            total = Size(0)
            for a in x.args:
                total = total.plus(a.shape[0])
            if total != x.attr:
                raise Outside("a stack whose size is a name of its own")
        if x.op == "slice":
            cuts.setdefault(x.args[0].shape[0], set()).update((x.attr[0].plus(ONE, -1), x.attr[1]))
    for size, ends in cuts.items():
        rest = ends | {Size(0), size}
        ordered = sorted(rest, key=lambda s: sum(n for _, n in s.terms))
        blocks = [b.plus(a, -1) for a, b in zip(ordered, ordered[1:])]
        if any(not b.plain or len(b.terms) != 1 or b.terms[0][1] != 1 for b in blocks):
            raise Outside("a part of a vector that does not end where its parts do")
        if size.text in layouts and layouts[size.text] != tuple(b.text for b in blocks):
            raise Outside("parts of a vector that are not those it was made of")
        if size.text not in layouts:
            layouts[size.text] = tuple(b.text for b in blocks)


def plans(statement):
    """Ways to cover every T and every step by finitely many cases, cheapest first; each is a list of cases.

    Without sums over steps: windows around the step that is printed. With sums: networks cut at every step, with one step of
    the derivatives computed on neither side, on the left or on the right.
    """
    sides = (statement.left, statement.right)
    nodes = walk(*sides)
    letters = sorted(statement.left.letters | statement.right.letters)
    if len(letters) > 1:
        raise Outside("two free steps")
    for x in nodes:
        if x.op in ("mpow", "steps", "window", "inv", "mexp"):
            raise Outside(f"the operation {x.op}")
    times = [t for x in nodes for t in x.times()]
    bases = {base for base, _ in times}
    over = [x for x in nodes if x.op == "tsum"]
    if not any([holds_sums(statement, side) for side in sides]) and len(bases) < 2:
        yield windows(statement, bases.pop() if bases else None, [k for _, k in times])
        return
    for x in nodes if any(holds_sums(statement, side) for side in sides) else ():
        apart = x.args[0].bases - {x.attr[0]} if x.op == "tsum" else x.bases if x.op not in LINEAR and len(x.bases) > 1 else ()
        if apart:
            raise Outside("a product of what stands at different places, beside sums over steps")
    for x in nodes:
        if x.op == "deriv" and not is_loss(statement, x.args[0]) and len({b for y in walk(x) for b, _ in y.times()}) > 1:
            raise Outside("a derivative over a number of steps that is not fixed")
    bound = {x.attr[0] for x in over} | set(letters)
    lag = statement.lag
    low = min([0, *(k for b, k in times if b in bound)]) - lag
    high = max([0, *(k for b, k in times if b in bound)]) + lag
    ends = [t for x in over for t in x.attr[1:]] + [t for t in times if t[0] not in bound]
    edge = max([0, *(abs(k - 1) if b == "" else abs(k) for b, k in ends)])
    reach = high - low + 2 * edge + 1
    if letters:
        pairs = [(t + gap, t) for t in range(1, reach + 2) for gap in range(int(statement.states_condition("before-end")), reach + 2)]
    else:
        pairs = [(T, None) for T in range(1, reach + 2)]
    if max(T for T, _ in pairs) > MOST_STEPS or len(pairs) > 40:
        raise Outside("too many numbers of steps would be needed")
    for deep in ((False, False), (True, False), (False, True)):
        yield [Case(T, env={letters[0]: t} if letters else {}, cut=True, deep=deep, generic=(T, t) == pairs[-1])
               for T, t in reversed(pairs)]


def windows(statement, base, offsets):
    """Every position of the printed steps relative to the first and to the last, and one far from each end."""
    low, high, lag = min([0, *offsets]), max([0, *offsets]), max(1, statement.lag)
    if base is None:
        return [Case(1, generic=True)]
    if high - low + lag > MOST_STEPS // 2:
        raise Outside("steps too far apart")
    if base == "":
        last = max(1, high)
        return [Case(T, 1, min(T, last), generic=T > last) for T in range(last + 1, 0, -1)]
    if base == "T":
        return [Case(T, max(1, T + low), T, generic=T == 1 + lag - low) for T in range(1 + lag - low, 0, -1)]
    cases = []
    for t in range(1 + lag - low, 0, -1):
        for gap in range(high + 1, int(statement.states_condition("before-end")) - 1, -1):
            generic = t == 1 + lag - low and gap == high + 1
            cases.append(Case(t + gap, max(1, t + low), min(t + gap, t + high), {base: t}, generic=generic))
    return cases


def is_loss(statement, x):
    return x.op == "sym" and x.attr.name == statement.total and x.attr.time is None and statement.loss is not None


def sums_by_itself(statement, x):
    """Whether a node is a sum over all steps without saying so: the total loss, and what it is by a parameter."""
    if x.op == "sym":
        return x.attr.kind in ("adjoint", "gradient") and x.attr.time is None or is_loss(statement, x)
    return False


LINEAR = ("add", "transpose", "entry", "isum", "sum", "diag", "slice", "cat", "tsum")


def holds_sums(statement, side):
    """Whether a side has sums over steps; it must depend on them linearly, with factors that have no step."""
    holds = {}

    def visit(x):
        if x.number in holds:
            return holds[x.number]
        if x.op == "deriv" and is_loss(statement, x.args[0]):
            bottom = x.args[1].args[0] if x.args[1].op == "entry" else x.args[1]
            out = not bottom.times()
        else:
            inner = [visit(a) for a in x.args]
            out = any(inner) or x.op == "tsum" or sums_by_itself(statement, x)
            if any(inner):
                factors = [a for a, h in zip(x.args, inner) if not h]
                fine = x.op in LINEAR[:-1] or (
                    x.op in ("smul", "matmul", "had") and sum(inner) == 1 and not any(y.times() for a in factors for y in walk(a)))
                if not fine:
                    raise Outside("a sum over steps inside a product or a function")
        holds[x.number] = out
        return out
    return visit(side)


# ----------------------------------------------------------------------------------------------------------------- what is refuted
def check_point(statement, evidence):
    """A counterexample: both sides enclosed at the point, and apart. Returns what to print."""
    T, sizes, times, indices, entry, values, functions = fields(
        evidence, ("T", "sizes", "times", "indices", "entry", "values", "functions"), "the evidence", ("kind",))[:7]
    need(not any(x.fault for x in (statement.left, statement.right)) and statement.left.shape == statement.right.shape,
         "the shapes of the two sides do not fit, which is to be refuted by shapes")
    whole(T, "T", 1, MOST_STEPS)
    need(isinstance(sizes, dict) and sorted(sizes) == statement.sizes, f"the sizes must be those of the statement: {statement.sizes}")
    for name, n in sizes.items():
        whole(n, f"the size {name}", 1, LARGEST_SIZE)
    letters = sorted(statement.left.letters | statement.right.letters)
    need(isinstance(times, dict) and sorted(times) == letters, f"the steps must be those of {letters}")
    for name, k in times.items():
        whole(k, f"the step {name}", 1, T - int(name == "t" and statement.states_condition("before-end")))
    need(isinstance(indices, dict), "the indices must be an object")
    free = {i.name for i in statement.left.indices | statement.right.indices}
    need(all(i in free for _, pair in statement.ties for i in pair), "a condition on an index that is not free")
    chosen = next((c for c in assignments(statement, sizes) if {i.name: k for i, k in c.items()} == indices), None)
    need(chosen is not None, "the component indices do not exist or do not satisfy the conditions")
    table = {}
    for row in listed(values, "values", 500):
        name, step, rows = fields(row, ("name", "step", "rows"), "a value")
        step = None if step is None else whole(step, "a step", -MOST_STEPS, MOST_STEPS)
        rows = [[rational(q, "an entry") for q in listed(r, "a row", 400)] for r in listed(rows, "rows", 400)]
        need((text_of(name, "a name"), step) not in table, f"{name} has two values")
        table[name, step] = rows
        if name in statement.simplex:
            need(all(sum(column) == 1 for column in zip(*rows)), f"the entries of {name} must sum to one")
    need(isinstance(functions, dict) and len(functions) < 20, "the functions must be an object")
    polynomials = {}
    vectors = {x.attr[0] for x in walk(*statement.roots()) if x.op in ("vcall", "vjac")}
    for name, row in functions.items():
        need(name.startswith("?") and not name.endswith("'") or name in vectors, f"the function {name} is not an unspecified one")
        if name in vectors:
            polynomials[name] = [[[rational(q, "a coefficient") for q in listed(pair, "a pair", 2)] for pair in listed(r, "a row", 400)]
                                 for r in listed(row, "rows", 400)]
        else:
            polynomials[name] = [rational(q, "a coefficient") for q in listed(row, "coefficients", 12)]
    need(isinstance(entry, list) and len(entry) == 2, "the entry must be a row and a column")
    row, column = (whole(k, "a component", 1, 400) for k in entry)

    def draw(name, step, rows, columns):
        need((name, step) in table, f"the value of {name}" + (f" at step {step}" if step is not None else "") + " is missing")
        found = table[name, step]
        need(len(found) == rows and all(len(r) == columns for r in found), f"the value of {name} must be {rows} x {columns}")
        return [[Interval.of(q) for q in r] for r in found]
    reason = "the two enclosures meet"
    for bits in (192, 768):
        Interval.bits = bits
        calc = Calc(Reals(polynomials), sizes, statement.sizes)
        network = Network(statement, calc, T, draw)
        try:
            left, right = (network.eval(side, times, chosen) for side in (statement.left, statement.right))
        except (BadPoint, Missing) as error:
            reason = str(error)
            continue
        need(row <= len(left.rows) and column <= len(left.rows[0]) and len(left.rows) == len(right.rows), "the entry does not exist")
        a, b = left.rows[row - 1][column - 1], right.rows[row - 1][column - 1]
        if a.apart(b):
            where = [*(f"{k}={v}" for k, v in {**sizes, "T": T, **times, **indices}.items())]
            return f"the left side is {a} and the right side {b} at {', '.join(where)}, component ({row}, {column})"
    raise Refused(f"the point does not refute the statement: {reason}")


def check_shapes(statement):
    """A fault of shapes, or a component index that is free on one side only."""
    for name, side in (("left", statement.left), ("right", statement.right)):
        need(side.fault != RANK, f"outside what is checked: {RANK}")
        if side.fault:
            return f"on the {name} side, {side.fault}"
    a, b = statement.left, statement.right
    if a.shape != b.shape:
        return "the two sides have the shapes " + " and ".join(f"{r.text} x {c.text}" for r, c in (a.shape, b.shape))
    tied = {s for _, pair in statement.ties for s in pair}
    lonely = [(i, other) for one, other in ((a, b), (b, a)) for i in one.indices - other.indices if i not in tied and i.name not in tied]
    lonely = [i for i, other in lonely if any(x.op in ("sym", "vcall", "vjac") for x in walk(other))]
    by_entry = a.op == "deriv" and all(x.op == "entry" for x in a.args) and set(lonely) <= a.indices
    need(lonely and not by_entry, "the shapes of the two sides fit")
    return f"the component index {sorted(i.name for i in lonely)[0]} is free on one side only"


# ---------------------------------------------------------------------------------------------------------------------- a certificate
class Report:
    """What was established of one certificate: ``full`` if it is the scope of the verdict."""

    def __init__(self, word, full, lines):
        self.word, self.full, self.lines = word, full, lines


KEYS = ("format", "version", "word", "statement", "source", "evidence", "establishes", "hash", "not_established")


def check(text, source=None):
    """Check one certificate, given as text; ``source`` is the text of its document. Raises Refused, or returns a Report."""
    value = load(text)
    fields(value, KEYS, "the certificate")
    need(value["format"] == FORMAT and value["version"] == VERSION, f"the format must be {FORMAT}, version {VERSION}")
    need(value["word"] in WORDS, f"the verdict must be one of {', '.join(WORDS)}")
    digest = hash_of(value)
    need(value["hash"] == digest, f"the hash of the certificate is {digest}, not the one that is stated")
    need(NOT_CHECKED in listed(value["not_established"], "not_established", 20), f"it must say that it does not establish {NOT_CHECKED}")
    lines = check_source(value["source"], source)
    try:
        statement = Statement(value["statement"])
        found = refuted(statement, value) if value["word"] == "refuted" else established(statement, value)
    except (Outside, Missing, BadPoint) as reason:
        raise Refused(f"outside what is checked: {reason}") from None
    except RecursionError:
        raise Refused("an expression is nested too deeply") from None
    found.lines += lines
    found.lines += [f"not checked: {text_of(row, 'not_established')}" for row in value["not_established"]]
    return found


def refuted(statement, value):
    """Refuted by shapes or at a point."""
    need(value["establishes"] == {"point": True} or value["establishes"] == {"shapes": True}, "a refutation establishes a point or shapes")
    evidence = value["evidence"]
    need(isinstance(evidence, dict), "the evidence must be an object")
    kind = evidence.get("kind")
    need(kind in ("point", "shapes") and value["establishes"] == {kind: True}, "the evidence must be what is established")
    said = check_point(statement, evidence) if kind == "point" else check_shapes(statement)
    return Report("refuted", True, [f"refuted: {said}"])


def established(statement, value):
    """Proved, or proved under a condition: for all sizes and every T, or for the finite ones that are stated."""
    fields(value["evidence"], (), "the evidence")
    sizes, steps = fields(value["establishes"], ("sizes", "T"), "what is established")
    need((value["word"] == "conditional") <= bool(statement.conditions), "a conditional verdict needs a condition")
    prover = Prover(statement, hashlib.sha256(canonical(value["statement"])).digest())
    if sizes == "all" and steps == "all":
        need(prover.everything(), "the two sides are not shown to be equal for all sizes and every T")
        return Report(value["word"], True, [f"{value['word']}: holds for all sizes and every T (error at most 2^-{prover.exponent()})"])
    need(isinstance(sizes, dict) and sorted(sizes) == statement.sizes, f"the sizes must be those of the statement: {statement.sizes}")
    for name, n in sizes.items():
        whole(n, f"the size {name}", 2, LARGEST_SIZE)
    need(len(set(sizes.values())) == len(sizes), "the sizes must be distinct")
    steps = [whole(T, "T", 1, MOST_STEPS) for T in listed(steps, "T", 8)]
    need(4 in steps, "T = 4 must be among the numbers of steps")
    need(sum(prover.finite(sizes, T) for T in steps), "the statement speaks of none of these steps")
    need(prover.exponent() >= ENOUGH, "the error bound is too weak")
    shown = ", ".join(f"{name}={n}" for name, n in sizes.items())
    return Report(value["word"], False, [f"holds for {shown + ', ' if shown else ''}T in {steps} (error at most 2^-{prover.exponent()}); "
                                         f"the scope of the verdict, {value['word']} for all sizes and every T, is not established"])


def check_source(value, document):
    """The place in the document, its text and hash; with the document: whether that text stands there."""
    path, cell, claim, definitions = fields(value, ("file", "cell", "claim", "definitions"), "the source")
    text_of(path, "the file", 1000)
    need(cell is None or type(cell) is int, "the cell must be an integer or null")
    spans = [("claim", claim), *(("definition", d) for d in listed(definitions, "definitions", 200))]
    lines = []
    for kind, span in spans:
        line, column, text, digest = fields(span, ("line", "column", "text", "sha256"), f"the {kind}")
        whole(line, "a line", 1, 10 ** 7)
        whole(column, "a column", 1, 10 ** 6)
        text_of(text, "a text", 100_000)
        need(hashlib.sha256(text.encode()).hexdigest() == digest, f"the hash of the text of the {kind} at line {line} is another")
        if document is not None:
            rows = document.splitlines(keepends=True)
            at = sum(map(len, rows[:line - 1])) + column - 1
            need(line <= len(rows) and document[at:at + len(text)] == text,
                 f"line {line}, column {column} of the document is not the {kind} of the certificate")
    if document is not None:
        lines.append(f"source: the claim stands at line {claim['line']}, column {claim['column']} of the document, "
                     f"and {len(definitions)} definitions where stated")
    return lines


def check_file(path, source=None):
    """Check the certificate in a file."""
    with open(path, encoding="utf-8") as stream:
        return check(stream.read(MOST_BYTES + 1), source)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", nargs="+")
    parser.add_argument("--source", metavar="DOCUMENT", help="the document: its text must be the one that the certificate quotes")
    options = parser.parse_args(arguments)
    status = 0
    try:
        source = None
        if options.source:
            with open(options.source, encoding="utf-8", newline="") as stream:
                source = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        print(f"{options.source}: cannot be read: {error}", file=sys.stderr)
        return 2
    for path in options.certificate:
        try:
            report = check_file(path, source)
            print(f"{path}: {report.lines[0]}")
            for line in report.lines[1:]:
                print(f"  {line}")
        except Refused as reason:
            print(f"{path}: REFUSED: {reason}")
            status = max(status, 1)
        except (OSError, UnicodeDecodeError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
