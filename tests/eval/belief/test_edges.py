"""Intervals of the numbers of boxes: pixels, measures, and their places in the report."""

import pytest
from PIL import Image

from gnomon.eval import RunResult, score, write_report
from gnomon.eval.scoring.edges import box_intervals, kept_axes
from gnomon.sample import Box, Boxes, Edge, LabelledBox, Prediction, Sample

SIZE = (200, 100)


def edges(*numbers, room=10, listed=0.98):
    return tuple(Edge(str(n), str(max(0, n - room)), str(n + room), listed) for n in numbers)


def answer(text, *boxes, dialect="qwen2-vl"):
    return Prediction("a", text, SIZE, dialect, {}, edges=boxes)


ONE = Sample("a", Image.new("RGB", SIZE), "Where?", Box(20, 20, 120, 60))
"""In thousandths (100, 200), (600, 600)."""


def test_intervals_are_in_pixels_of_the_picture_in_the_order_of_the_boxes():
    (interval,) = box_intervals(
        answer("(100,200),(600,600)", edges(100, 200, 600, 600)), (20, 20, 120, 60), "box"
    )
    assert interval == ((18, 19, 118, 59), (22, 21, 122, 61))
    # Gemini's numbers have y first, and a list has its own order.
    text = '[{"box_2d": [600, 100, 700, 200]}, {"box_2d": [200, 100, 600, 600]}]'
    prediction = answer(text, edges(600, 100, 700, 200), edges(200, 100, 600, 600),
                        dialect="gemini")  # fmt: skip
    value = Boxes((LabelledBox("", Box(20, 20, 120, 60)), LabelledBox("", Box(20, 60, 40, 70))))
    first, second = box_intervals(prediction, value, "boxes")
    assert first == ((18, 19, 118, 59), (22, 21, 122, 61))
    assert second[0] == (18, 59, 38, 69)
    # A box without a belief, as one in another form has none.
    assert box_intervals(answer("", edges(100, 200, 600, 600)), (0, 0, 9, 9), "box") == [None]
    assert box_intervals(Prediction("a", "", SIZE, "qwen2-vl"), (0, 0, 9, 9), "box") == []


@pytest.mark.parametrize(
    ("numbers", "cover"),
    [
        ((100, 200, 600, 600), 1.0),
        ((110, 200, 600, 600), 1.0),
        ((111, 200, 600, 600), 0.75),
        ((115, 250, 650, 650), 0.0),
    ],
)
def test_edges_are_covered_where_the_truth_lies_in_their_intervals(numbers, cover):
    text = "({},{}),({},{})".format(*numbers)
    scores = score([answer(text, edges(*numbers))], [ONE])
    (item,) = scores.items
    assert item.measures["edges_cover"] == cover
    assert item.measures["edges_width"] == pytest.approx((4 + 2 + 4 + 2) / 4)
    names = [line.name for line in scores.summaries["box"].results]
    assert names[-2:] == ["edges_cover", "edges_width"]


def test_of_several_boxes_the_matched_ones_count():
    truth = Boxes((LabelledBox("mug", Box(20, 20, 120, 60)), LabelledBox("cup", Box(0, 0, 9, 9))))
    sample = Sample("a", ONE.image, "Find all.", truth)
    mark = "<|object_ref_start|>mug<|object_ref_end|><|box_start|>({},{}),({},{})<|box_end|>"
    numbers = [(100, 200, 600, 640), (800, 800, 900, 900)]
    text = "\n".join(mark.format(*box) for box in numbers)
    scores = score([answer(text, *(edges(*box) for box in numbers))], [sample])
    (item,) = scores.items
    assert len(item.intervals) == 2
    assert item.measures["edges_cover"] == 0.75
    # Where nothing is matched, or nothing was believed, there is nothing to measure.
    for boxes in ((edges(*numbers[1]),), None):
        text = mark.format(*numbers[1])
        prediction = Prediction("a", text, SIZE, "qwen2-vl", edges=boxes)
        (item,) = score([prediction], [sample]).items
        assert "edges_cover" not in item.measures


def test_the_report_has_the_intervals(tmp_path):
    prediction = answer("(100,200),(600,600)", edges(100, 200, 600, 600))
    run = RunResult("toy", score([prediction], [ONE]), [prediction])
    page = write_report(tmp_path / "a.html", [run], samples={"a": ONE}).read_text()
    bands = page.split('class="frame run0 edge" style="')[1:]
    assert [band.partition('"')[0] for band in bands] == [
        "left:9.0%;top:20.0%;width:2.0%;height:40.0%",
        "left:10.0%;top:19.0%;width:50.0%;height:2.0%",
        "left:59.0%;top:20.0%;width:2.0%;height:40.0%",
        "left:10.0%;top:59.0%;width:50.0%;height:2.0%",
    ]
    assert "shaded: where 90 %" in page
    assert "Edges within their 90 % intervals" in page


def test_axes_that_stayed_are_counted():
    stays = tuple(Edge("1", "0", "2", 1.0, is_written=place % 2 == 0) for place in range(4))
    assert (
        kept_axes([answer("", stays, edges(1, 2, 3, 4)), Prediction("b", "", None, "plain")]) == 1
    )
