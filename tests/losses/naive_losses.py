"""Each loss again, from its definition, one number and one digit at a time, in plain floats."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import mul

import torch
from naive_reader import numbers_in


@dataclass(frozen=True)
class Digit:
    """A token of digits: what the label says, where it stands, and how likely each entry is."""

    label: str
    place: int
    p: dict[str, float]

    def worth(self, digits):
        """In a fraction 5 is as much as 50, in units of the label's last place."""
        shift = len(self.label) - len(digits) if self.place < 0 else 0
        return Fraction(int(digits)) * Fraction(10) ** shift

    def distance(self, one, other, cycle=0):
        return self.apart(self.worth(one), self.worth(other), cycle)

    def apart(self, v, w, cycle=0):
        """Distance of two values of the token, in units of its place; all else is the same."""
        gap = abs(v - w) * 1.0
        if not cycle or Fraction(10) ** self.place >= cycle:
            return gap
        turn = float(Fraction(str(cycle)) / Fraction(10) ** self.place)
        return min(gap % turn, turn - gap % turn)

    def scale(self, published=False):
        """Factor that makes 9 of the largest distance of two entries before the point."""
        values = [int(d) for d in self.p]
        return 1 if published else 9 / (max(values) - min(values))

    def by_value(self):
        """The likelihood of each value; 5 and 05 are one."""
        found = {}
        for d, p in self.p.items():
            found[float(self.worth(d))] = found.get(float(self.worth(d)), 0) + p
        return found


def components_of(name, options, vocab, pieces, logits, labels):
    """The mean of each part."""
    rows = [
        [_digits(number, row, scores, vocab) for number in numbers_in(row, pieces)]
        for row, scores in zip(labels.tolist(), logits.double().tolist(), strict=True)
    ]
    mean = _mean_of_rows if name == "ntil" and options.get("published") else _mean_of_all
    return {
        part: mean([[term(x, **options) for x in (row if whole else _flat(row))] for row in rows])
        for part, (term, whole) in TERMS[name].items()
        if part in _weights(name, options)
    }


def total_of(name, options, components):
    """The loss: the weighted sum of the parts' means."""
    weights = _weights(name, options)
    return sum(weights[part] * mean for part, mean in components.items())


def _weights(name, options):
    """Of the parts that are computed, which is those with a weight."""
    default = (1.0, 0.2, 0.2) if name == "ntil" else [1.0] * len(TERMS[name])
    return {
        part: weight
        for part, weight in zip(TERMS[name], options.get("weights", default), strict=True)
        if weight
    }


def _mean_of_all(rows):
    return _mean(_flat(rows))


def _mean_of_rows(rows):
    return _mean([_mean(row) for row in rows])


def _flat(rows):
    return [x for row in rows for x in row]


def _mean(terms):
    return sum(terms) / max(len(terms), 1)


def _digits(number, row, scores, vocab):
    digits = []
    for column, place in number.places.items():
        e = {x.digits: sum(math.exp(scores[column][i]) for i in x.ids) for x in vocab.entries}
        label = next(x.digits for x in vocab.entries if row[column] in x.ids)
        digits.append(Digit(label, place, {d: v / sum(e.values()) for d, v in e.items()}))
    return digits


def emd(digit, cycle=0, published=False, **_):
    expected = sum(p * digit.distance(d, digit.label, cycle) for d, p in digit.p.items())
    return digit.scale(published) * expected


def weighted_emd(digit, base=1.2, published=False, **_):
    return emd(digit, published=published) * base**digit.place


def squared_error(digit, published=False):
    mean = sum(p * digit.worth(d) for d, p in digit.p.items())
    return (digit.scale(published) * float(mean - digit.worth(digit.label))) ** 2


def soft_cross_entropy(digit, sigma=1.0, cycle=0):
    p, t = digit.by_value(), _bell(digit, 2 * sigma**2, cycle)
    return -sum(t[v] * math.log(p[v]) for v in p)


def divergence(digit, temperature=1.0, cycle=0):
    p, t = digit.by_value(), _bell(digit, temperature, cycle)
    return sum(t[v] * math.log(t[v] / p[v]) for v in p if t[v])


def _bell(digit, spread, cycle):
    y = float(digit.worth(digit.label))
    t = {v: math.exp(-(digit.apart(v, y, cycle) ** 2) / spread) for v in digit.by_value()}
    return {v: x / sum(t.values()) for v, x in t.items()}


def crps(digit, cycle=0, published=False):
    p = digit.by_value()
    spread = sum(p[v] * p[w] * digit.apart(v, w, cycle) for v in p for w in p)
    return emd(digit, cycle, published) - 0.5 * digit.scale(published) * spread


def relative(number, **options):
    x, y = _predicted(number, **options), _true(number)
    return float(abs(x - y) / (max(x, y) + 1))


def magnitude(number, **options):
    x, y = _predicted(number, **options), _true(number)
    return abs(math.log(x + 1) - math.log(y + 1))


def _predicted(number, construction="hard", temperature=0.1, **_):
    put = _expected if construction == "soft" else _likeliest
    return sum(put(digit, temperature) * Fraction(10) ** digit.place for digit in number)


def _likeliest(digit, _):
    return digit.worth(max(digit.p, key=digit.p.get))


def _expected(digit, temperature):
    most = max(digit.p.values())
    e = {d: (p / most) ** (1 / temperature) for d, p in digit.p.items()}
    return sum(Fraction(x / sum(e.values())) * digit.worth(d) for d, x in e.items())


def _true(number):
    return sum(digit.worth(digit.label) * Fraction(10) ** digit.place for digit in number)


def mmd(digit, cycle=0, **options):
    r = _residual(digit)
    k = _kernel(digit, tuple(sorted(r)), cycle, **options)
    scale = digit.scale() if options.get("kernel") == "energy" else 1
    return scale * sum(k[v, w] * r[v] * r[w] for v in r for w in r)


def smooth(digit, cycle=0, **options):
    r = _residual(digit)
    k = _kernel(digit, tuple(sorted(r)), cycle, **options)
    mean_degree = sum(k.values()) / len(r)
    pairs = 0.5 * sum(k[v, w] * (r[v] - r[w]) ** 2 for v in r for w in r)
    return pairs / (2 * mean_degree)


def _residual(digit):
    y = float(digit.worth(digit.label))
    return {v: p - (v == y) for v, p in digit.by_value().items()}


def _kernel(digit, values, cycle, **options):
    if not cycle:
        return _plain_kernel(values, **options)
    widths = options.get("bandwidths", (2.0,))
    d = {(v, w): digit.apart(v, w, cycle) for v in values for w in values}
    if options["kernel"] == "energy":
        return {vw: -x / 2 for vw, x in d.items()}
    return {vw: _mean([math.exp(-x / s) for s in widths]) for vw, x in d.items()}


@cache
def _plain_kernel(
    values, kernel="gaussian", bandwidths=(2.0,), published=False, shuffled=False, seed=0
):
    draw = torch.Generator().manual_seed(seed)
    if kernel == "random":
        signs = (torch.randint(2, (len(values), 4), generator=draw) * 2 - 1).tolist()
        signs = dict(zip(values, signs, strict=True))
        return {
            (v, w): (sum(map(mul, signs[v], signs[w])) / 4) ** 5 for v in values for w in values
        }
    order = torch.randperm(len(values), generator=draw) if shuffled else range(len(values))
    at = {v: values[i] for v, i in zip(values, order, strict=True)}
    d = {(v, w): abs(at[v] - at[w]) for v in values for w in values}
    if published:
        least, most = min(x for x in d.values() if x), max(d.values())
        d = {vw: x and 1 + 8 * (x - least) / (most - least) for vw, x in d.items()}
    value = {
        "gaussian": lambda x: _mean([math.exp(-(x**2) / (2 * s**2)) for s in bandwidths]),
        "laplace": lambda x: _mean([math.exp(-x / s) for s in bandwidths]),
        "energy": lambda x: -x / 2,
    }[kernel]
    return {vw: value(x) for vw, x in d.items()}


# Of each part the term, and whether it is one of a whole number.
TERMS = {
    "crps": {"crps": (crps, False)},
    "dist2": {"dist2": (divergence, False)},
    "emd": {"emd": (emd, False)},
    "gaussian": {"gaussian": (soft_cross_entropy, False)},
    "mmd": {"mmd": (mmd, False)},
    "ntil": {
        "emd": (weighted_emd, False),
        "relative": (relative, True),
        "magnitude": (magnitude, True),
    },
    "ntl_mse": {"ntl_mse": (squared_error, False)},
    "ntl_was": {"emd": (emd, False)},
    "smmd": {"mmd": (mmd, False), "smooth": (smooth, False)},
    "smooth": {"smooth": (smooth, False)},
}
