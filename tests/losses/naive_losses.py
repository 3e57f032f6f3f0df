"""Each loss again, from its definition, one number and one digit at a time, in plain floats."""

import math
from dataclasses import dataclass
from fractions import Fraction

from naive_reader import numbers_in


@dataclass(frozen=True)
class Digit:
    """A token of digits: what the label says, where it stands, and how likely each entry is."""

    label: str
    place: int
    p: dict[str, float]

    def worth(self, digits):
        """In a fraction 5 is as much as 50, in units of the label's last place."""
        return int(digits) * 10 ** ((len(self.label) - len(digits)) if self.place < 0 else 0)

    def distance(self, one, other):
        return abs(self.worth(one) - self.worth(other))

    @property
    def likeliest(self):
        return max(self.p, key=self.p.get)


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
    }


def total_of(name, options, components):
    """The loss: the weighted sum of the parts' means."""
    default = (1.0, 0.2, 0.2) if name == "ntil" else [1.0] * len(components)
    weights = options.get("weights", default)
    return sum(w * mean for w, mean in zip(weights, components.values(), strict=True))


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


def emd(digit):
    return sum(p * digit.distance(d, digit.label) for d, p in digit.p.items())


def weighted_emd(digit, base=1.2, **_):
    return emd(digit) * base**digit.place


def relative(number, **_):
    x, y = _predicted(number), _true(number)
    return float(abs(x - y) / (max(x, y) + 1))


def magnitude(number, **_):
    x, y = _predicted(number), _true(number)
    return abs(math.log(x + 1) - math.log(y + 1))


def _predicted(number):
    return sum(Fraction(d.worth(d.likeliest)) * Fraction(10) ** d.place for d in number)


def _true(number):
    return sum(Fraction(int(d.label)) * Fraction(10) ** d.place for d in number)


def mmd(digit, **options):
    k, r = _kernel(digit, **options), _residual(digit)
    return sum(k[i, j] * r[i] * r[j] for i in r for j in r)


def smooth(digit, **options):
    k, r = _kernel(digit, **options), _residual(digit)
    mean_degree = sum(k.values()) / len(r)
    pairs = 0.5 * sum(k[i, j] * (r[i] - r[j]) ** 2 for i in r for j in r)
    return pairs / (2 * mean_degree)


def _residual(digit):
    return {d: p - (d == digit.label) for d, p in digit.p.items()}


def _kernel(digit, kernel="gaussian", bandwidths=(2.0,), published=False):
    d = {(i, j): digit.distance(i, j) for i in digit.p for j in digit.p}
    if published:
        least, most = min(x for x in d.values() if x), max(d.values())
        d = {ij: x and 1 + 8 * (x - least) / (most - least) for ij, x in d.items()}
    value = {
        "gaussian": lambda x: _mean([math.exp(-(x**2) / (2 * s**2)) for s in bandwidths]),
        "laplace": lambda x: _mean([math.exp(-x / s) for s in bandwidths]),
        "energy": lambda x: -x / 2,
    }[kernel]
    return {ij: value(x) for ij, x in d.items()}


# Of each part the term, and whether it is one of a whole number.
TERMS = {
    "emd": {"emd": (emd, False)},
    "mmd": {"mmd": (mmd, False)},
    "ntil": {
        "emd": (weighted_emd, False),
        "relative": (relative, True),
        "magnitude": (magnitude, True),
    },
    "smmd": {"mmd": (mmd, False), "smooth": (smooth, False)},
    "smooth": {"smooth": (smooth, False)},
}
