"""Where boxes and lines of a picture go."""

import re
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from forge.browse.layers import layered

NAMES = [f"n{number}" for number in range(12)]
SIZES = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.integers(10, 300), st.integers(10, 300)), min_size=1
)


@st.composite
def graphs(draw):
    sizes = draw(SIZES)
    ends = st.sampled_from(sorted(sizes))
    return sizes, draw(st.lists(st.tuples(ends, ends), max_size=30)), draw(st.booleans())


def corners(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]


@given(graphs())
def test_no_two_boxes_overlap_and_all_are_in_the_picture(graph):
    sizes, lines, across = graph
    picture = layered(sizes, lines, across=across)
    assert picture.boxes.keys() == sizes.keys()
    spans = {
        name: (x, y, x + sizes[name][0], y + sizes[name][1])
        for name, (x, y) in picture.boxes.items()
    }
    for left, top, right, bottom in spans.values():
        assert min(left, top) > -0.01
        assert right < picture.width + 0.01
        assert bottom < picture.height + 0.01
    for one, other in combinations(spans.values(), 2):
        apart = (
            one[2] <= other[0] + 0.01
            or other[2] <= one[0] + 0.01
            or one[3] <= other[1] + 0.01
            or other[3] <= one[1] + 0.01
        )
        assert apart


@given(graphs())
def test_a_line_leads_from_the_border_of_its_one_box_to_that_of_the_other(graph):
    sizes, lines, across = graph
    picture = layered(sizes, lines, across=across)
    assert picture.lines.keys() == {line for line in lines if line[0] != line[1]}
    for ends, path in picture.lines.items():
        points = corners(path)
        for name, (x, y) in zip(ends, (points[0], points[-1]), strict=True):
            left, top = picture.boxes[name]
            assert left - 0.1 <= x <= left + sizes[name][0] + 0.1
            assert top - 0.1 <= y <= top + sizes[name][1] + 0.1


def test_what_leads_to_a_box_is_above_it_or_left_of_it():
    sizes = dict.fromkeys("abc", (50, 20))
    down = layered(sizes, [("a", "b"), ("b", "c")]).boxes
    across = layered(sizes, [("a", "b"), ("b", "c")], across=True).boxes
    assert down["a"][1] < down["b"][1] < down["c"][1]
    assert across["a"][0] < across["b"][0] < across["c"][0]


@given(graphs())
def test_the_same_graph_gives_the_same_picture(graph):
    sizes, lines, across = graph
    assert layered(sizes, lines, across=across) == layered(sizes, lines, across=across)
