"""Which option an answer names; each line's label was written before any reader was asked."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.answers import letter
from vhbench.files import read_json

DEPTH = ("Which point is closer to the camera?", ("A is closer", "B is closer"))
POINTS = ("Which point on the second image corresponds to REF?", ("Point A", "Point B", "Point C", "Point D"))
SIMILAR = ("Which image is more similar to the reference image?", ("the second image", "the third image"))
SHADE = ("Which point has darker surface color?", ("A is darker", "B is darker", "About the same"))
FORGED = (
    "Which of the four images is a real photograph?",
    ("the first image", "the second image", "the third image", "the fourth image"),
)
YES_NO = ("Is the cat on top of the sofa?", ("yes", "no"))
COUNT = ("How many blue cars are there?", ("3", "0", "1", "2"))
BOXES = ("Which bounding box localizes the dog better?", ("Box A", "Box B"))
SIDE = ("Is the camera moving to the left or to the right?", ("left", "right"))
PUZZLE = ("Which one continues the pattern?", ("picture A", "picture B", "picture C", "picture D"))
WHICH = ("Which image shows a dog?", ("Image 1", "Image 2", "Image 3", "None of the above"))
TWO = ("Which of Image 1 and Image 2 shows a red ball?", ("Neither", "Image 1", "Both", "Image 2"))
MORE = (
    "Which image shows more cups, Image 1 or Image 2?",
    ("Both show the same number", "Image 2", "Image 1", "Neither shows any"),
)
TOTAL = ("How many cups are there in all images together?", ("1", "6", "4", "2", "None of the above"))
THINGS = (
    "Which object occurs in all of the images?",
    ("umbrella", "bench", "wine glass", "glass", "None of the above"),
)
PLACES = (
    "Which of these occurs in at least one of the images?",
    ("ball to the left of a box", "box to the left of a ball", "lamp below a shelf", "None of the above"),
)

Row = tuple[str, str]
SAID: list[tuple[tuple[str, tuple[str, ...]], list[Row]]] = [
    (
        DEPTH,
        [
            ("A", "(A) A is closer"),
            ("B", "B is closer."),
            ("A", "Point A is closer to the camera than point B."),
            ("B", "Point B is closer to the camera."),
            ("A", "Point A is closer. Point B is further back, on the wall."),
            ("B", "Point A is farther from the camera than point B."),
            ("B", "(B)"),
            ("A", "A) A is closer"),
            ("B", "The point labeled B is closer to the camera."),
            (
                "B",
                "Based on the image, point B is in the foreground, so it is closer than point A. Answer: (B) B is closer",
            ),
            ("A", "Compared to point B, point A appears closer to the viewer."),
            ("A", "Between the two points, A is closer."),
            ("", "(A) A is closer\n(B) B is closer"),
            ("", "A is closer or B is closer"),
            ("", "Both points are at the same distance."),
            ("", "I'm sorry, but I can't tell which point is closer."),
            ("B", "Point A is on the mountain. Point B is on the fence. Therefore, point B is closer to the camera."),
            ("A", "Option A"),
            ("A", "A is closer because it is on the floor in front of the chair, while B is on the wall."),
            ("B", "The correct answer is (B) B is closer."),
            ("B", "Point A is not closer; B is."),
            ("A", "Point A"),
            ("B", "b"),
            ("A", "Point A is nearer to the camera."),
        ],
    ),
    (
        POINTS,
        [
            ("C", "Point C"),
            ("C", "(C) Point C"),
            ("D", "The corresponding point is Point D."),
            (
                "B",
                "Point B corresponds to the reference point, as both lie on the handle. Points A, C and D are on the blade.",
            ),
            (
                "A",
                "(A) Point A is at the tip.\n(B) Point B is on the handle.\n(C) Point C is on the rim.\n"
                "(D) Point D is outside.\n\nTherefore, the correct answer is (A).",
            ),
            (
                "",
                "(A) Point A is at the tip, which is not used.\n(B) Point B is on the rim, which is not used.\n"
                "(C) Point C is on the side.\n(D) Point D is on the label.\nNone of these points match.",
            ),
            ("C", "The reference point lies on the ear. In the second image, the ear is marked by point C."),
            ("", "Points A and B"),
            ("D", "It is not A, B or C. It is D."),
            ("B", "I would choose B, since A is too far to the left."),
            ("C", "The answer is: C. Point C"),
            ("", "A, B, C, D"),
            ("B", "B."),
            ("A", "Point A is the best match."),
        ],
    ),
    (
        SIMILAR,
        [
            ("A", "The second image is more similar to the reference image than the third image."),
            ("B", "The third image is more similar to the reference image."),
            ("B", "(B) the third image"),
            ("A", "Image 2"),
            ("B", "Image 3 is the most similar one."),
            ("A", "The second image shows the same kind of boat. The third image shows a car. So, the second image."),
            ("B", "While the second image has the same colors, the third image is more similar in layout."),
            ("A", "the 2nd image"),
            ("B", "The second image is less similar than the third image."),
            ("A", "A. The second image"),
            ("B", "The image that is more similar is the third one."),
            ("", "Neither of them is similar."),
            ("", "The first image is the reference image."),
            ("A", "Second image"),
            ("A", "The second one is closer in style to the first image."),
            ("", "The second and the third image are both similar to the reference."),
        ],
    ),
    (
        SHADE,
        [
            ("C", "About the same"),
            ("C", "The two points have the same color."),
            ("A", "Point A has a darker surface color than point B."),
            ("B", "Point A is lighter than point B."),
            ("C", "(C) About the same. Point A and point B are both gray."),
            ("B", "B is darker"),
            ("C", "Points A and B have roughly equal brightness."),
            ("A", "A is darker, B is brighter."),
        ],
    ),
    (
        FORGED,
        [
            ("D", "The fourth image is a real photograph."),
            ("C", "the third image"),
            ("B", "(B)"),
            ("A", "Image 1"),
            ("D", "The first three images are generated, the fourth image is a real photograph."),
            ("", "I'm not able to determine which one is real."),
            ("C", "The real photograph is the third image. The others look artificial."),
            ("D", "The last image is real."),
        ],
    ),
    (
        YES_NO,
        [
            ("A", "yes"),
            ("B", "No, the cat is under the sofa."),
            ("A", "(A) yes"),
            ("B", "(B)"),
            ("B", "B. no"),
            ("A", "Yes. The cat lies on top of the sofa."),
            ("", "yes or no"),
            ("B", "The answer is (B) no."),
        ],
    ),
    (
        COUNT,
        [
            ("A", "3"),
            ("A", "There are three blue cars."),
            ("D", "(D) 2"),
            ("D", "two"),
            ("C", "There is one blue car in the image."),
            ("B", "There are no blue cars in the image."),
            ("B", "Zero"),
            ("D", "I can see 2 blue cars: one on the left and one on the right."),
            ("A", "C... no wait, A"),
            ("", "5"),
            ("A", "Answer: 3 cars"),
            ("D", "**2** blue cars are visible."),
        ],
    ),
    (
        BOXES,
        [
            ("B", "Box B"),
            ("A", "Box A localizes the dog better. Box B cuts off its tail."),
            ("B", "(B) Box B, because Box A includes too much of the background."),
            ("A", "Box A is more accurate than Box B."),
            ("B", "Bounding box B"),
            ("A", "The red box (Box A) fits the dog more tightly."),
        ],
    ),
    (
        SIDE,
        [
            ("A", "left"),
            ("B", "The camera is moving to the right."),
            ("A", "(A) left"),
            ("B", "Right"),
            ("A", "The camera moves left, not right."),
            ("", "The camera moves left and right."),
        ],
    ),
    (PUZZLE, [("D", "D"), ("C", "picture C"), ("B", "The missing one is picture B."), ("A", "The answer is A.")]),
    (
        WHICH,
        [
            ("B", "Image 1 shows a cat. Image 2 shows a dog. Image 3 shows a tree."),
            ("C", "Only the third image shows a dog."),
            ("D", "None of the images contain a dog."),
            ("D", "There is no dog in Image 1, Image 2 or Image 3."),
            ("D", "Image 1: no dog. Image 2: no dog. Image 3: no dog."),
            ("A", "Image 1."),
            ("A", "image_1"),
            ("B", "No dog is in Image 1 or Image 3, but there is one in Image 2."),
            ("C", "Image 2... actually, Image 3."),
            ("", "Image 1 and Image 3 show dogs."),
            ("", "All images show a dog."),
            ("", "A. Image 1\nB. Image 2\nC. Image 3\nD. None of the above"),
            ("B", "A. Image 1\nB. Image 2\nC. Image 3\nD. None of the above\n\nAnswer: B"),
            ("B", "The dog can be seen in image number 2."),
            ("C", "- Image 1: No\n- Image 2: No\n- Image 3: Yes"),
            ("", "First, I look at Image 1, which shows a street with"),
            ("D", "Neither Image 1, nor Image 2, nor Image 3 shows a dog."),
            ("B", "Is it Image 1? No. It is Image 2."),
            ("A", "The first option"),
            ("A", '{"answer": "A"}'),
            ("B", '{"choice": "Image 2", "why": "Image 1 shows a cat"}'),
            ("C", "<think>Image 1? No. Image 2? No.</think>C"),
            ("", "<think>Image 1? No. Image 2? It is B"),
            ("D", "The correct option is D) None of the above."),
            ("B", "第二张图片。答案：B"),
            ("", "A dog is an animal."),
            ("", "I need more information."),
            ("B", "It has to be the second image, since the others show no animals."),
        ],
    ),
    (
        TWO,
        [
            ("C", "Both images show a red ball."),
            ("A", "Neither of the two images shows a red ball."),
            ("C", "Image 1 and Image 2 both show a red ball."),
            ("D", "Both images show a ball, but only Image 2 shows a red one."),
            ("B", "Image 1 shows a red ball; Image 2 does not."),
            ("B", "Image 1"),
            ("A", "No image shows a red ball."),
            ("D", "The red ball is in the second image only."),
            ("C", "There is a red ball in Image 1 and in Image 2."),
            ("A", "There is no red ball in either image."),
            ("A", "Image 1 does not show a red ball. Image 2 does not show a red ball."),
            ("C", "C. Both"),
        ],
    ),
    (
        MORE,
        [
            ("C", "Image 1 shows more cups than Image 2."),
            ("B", "Image 2"),
            ("A", "Both images show two cups."),
            ("A", "They have an equal number of cups."),
            ("D", "Neither image shows any cups."),
            ("C", "Both images show cups, but Image 1 has more."),
            ("B", "Image 1 has one cup. Image 2 has three cups. Therefore Image 2 shows more cups."),
            ("B", "Image 1 has fewer cups than Image 2."),
            ("A", "The number is the same in both images."),
        ],
    ),
    (
        TOTAL,
        [
            ("B", "6"),
            ("C", "There are 4 cups in total: 3 in Image 1 and 1 in Image 2."),
            ("C", "3 + 1 = 4"),
            ("B", "Image 1: 2 cups\nImage 2: 4 cups\nTotal: 6 cups"),
            ("D", "Two cups."),
            ("E", "There are 9 cups, so none of the above."),
            ("E", "None of the above"),
            ("C", "Adding them up, I get a total of four."),
            ("A", "There is a single cup."),
            ("B", "B"),
            ("D", "D. 2"),
            ("", "Image 1 has 4 cups and Image 2 has 2."),
            ("C", "In Image 1 there are 2 cups, in Image 2 there are 2 cups, so altogether there are 4 cups."),
        ],
    ),
    (
        THINGS,
        [
            ("A", "Umbrellas"),
            ("C", "The wine glass occurs in all of the images."),
            ("D", "a glass"),
            ("C", "wine glasses"),
            ("B", "The bench."),
            ("B", "Not the umbrella but the bench."),
            ("B", "The umbrella is missing in Image 2. The bench occurs in all of the images."),
            ("E", "None of these objects occurs in all of the images."),
            ("", "umbrella, bench"),
            ("", "A tree"),
            ("A", "The object that occurs in all images is the umbrella."),
            ("B", "bench (B)"),
        ],
    ),
    (
        PLACES,
        [
            ("A", "The ball is to the left of the box."),
            ("B", "A box to the left of a ball"),
            ("C", "There is a lamp below a shelf in Image 2."),
            ("C", "The lamp is located below the shelf."),
            ("", "ball"),
            ("D", "None of them occurs."),
        ],
    ),
]
ROWS = [(*about, label, response) for about, rows in SAID for label, response in rows]


@pytest.mark.parametrize(("question", "choices", "label", "response"), ROWS)
def test_an_answer_is_read_as_a_careful_reader_would(
    question: str, choices: tuple[str, ...], label: str, response: str
) -> None:
    assert letter(response, choices, question) == label
