from hypothesis import given
from hypothesis import strategies as st

from gnomon.store.reading.mixture import shuffled_index


@given(st.integers(1, 300), st.integers())
def test_every_place_is_taken_once(length, key):
    assert sorted(shuffled_index(i, length, key) for i in range(length)) == list(range(length))


def test_another_key_is_another_order():
    orders = {tuple(shuffled_index(i, 50, key) for i in range(50)) for key in range(100)}
    assert len(orders) == 100


def test_any_value_may_stand_anywhere():
    firsts = [shuffled_index(0, 10, key) for key in range(5000)]
    assert all(400 < firsts.count(value) < 600 for value in range(10))


def test_a_long_range_needs_no_table():
    assert 0 <= shuffled_index(123, 10**15, "key") < 10**15
