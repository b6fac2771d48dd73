import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pycocotools import mask as coco

from vhbench.masks import decode, encode
from vhbench.schema import Mask, VhbenchError

masks = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40), elements=st.booleans())


@given(masks)
def test_encoding_is_pycocotools(mask):
    theirs = coco.encode(np.asfortranarray(mask, dtype=np.uint8))
    ours = encode(mask)
    assert ours.counts == theirs["counts"].decode()
    assert list(ours.size) == theirs["size"]
    assert (decode(ours) == mask).all()


@given(masks, st.tuples(*[st.integers(0, 3)] * 4))
def test_a_part_is_encoded_as_the_whole(part, margins):
    left, right, top, bottom = margins
    whole = np.pad(part, ((top, bottom), (left, right)))
    assert encode(part, size=whole.shape, corner=(left, top)) == encode(whole)


def test_runs_that_do_not_fit_are_named():
    with pytest.raises(VhbenchError, match="a mask of 4x3 pixels does not fit its runs"):
        decode(Mask((3, 4), encode(np.ones((5, 5), bool)).counts))


@pytest.mark.parametrize("counts", ["o" * 1_000_000, "o" * 10_000 + "1"])
def test_a_run_without_an_end_is_refused_at_once(counts):
    with pytest.raises(VhbenchError, match="a mask of 4x3 pixels has a run that is longer than any"):
        decode(Mask((3, 4), counts))
