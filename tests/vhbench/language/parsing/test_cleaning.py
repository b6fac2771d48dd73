"""What stands around an answer: thoughts, roles, tokens, markup, JSON, LaTeX."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.language.parsing import parse
from vhbench.language.parsing.cleaning import plain, strip_markup

FORMS = [
    "{}",
    " {}\n",
    "**{}**",
    "*{}*",
    "__{}__",
    "`{}`",
    "> {}",
    "- {}",
    "# {}",
    "```\n{}\n```",
    "```text\n{}```",
    "{}</s>",
    "<s> {}</s>",
    "{}<|im_end|>",
    "{}<|eot_id|>",
    "{}<end_of_turn>\n",
    "{}<|endoftext|>Question: Is it raining? Answer: Perhaps",
    "<|im_start|>assistant\n{}<|im_end|>\n<|im_start|>user\nThanks",
    "<|im_start|>user\nWhat do you say?<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>",
    "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>",
    "<bos><start_of_turn>user\nWhat do you say?<end_of_turn>\n<start_of_turn>model\n{}<end_of_turn>",
    "{}<eos><eos>",
    "{}<｜end▁of▁sentence｜>",
    "ASSISTANT: {}",
    "assistant\n{}",
    "USER: What do you say? ASSISTANT: {}",
    "user\nWhat do you say?\nassistant\n{}",
    "[INST] What do you say? [/INST] {}",
    "Q: What do you say? A: {}",
    "Question: What do you say?\nAnswer: {}",
    "{}\n\nQuestion: What else?\nAnswer: Something",
    "{}\nUSER: And now?",
    "\\boxed{{{}}}",
    "$\\boxed{{{}}}$",
    "\\(\\boxed{{{}}}\\)",
    "\\[ \\boxed{{\\text{{{}}}}} \\]",
    "\\boxed{{\\textbf{{{}}}}}",
    "$$\\boxed{{\\mathrm{{{}}}}}$$",
    "\\boxed{{\\mathbf{{\\text{{{}}}}}}}",
    "\\( \\text{{{}}} \\)",
    "${}$",
    "<|begin_of_box|>{}<|end_of_box|>",
    "<answer>{}</answer>",
    "<ANSWER>\n{}\n</ANSWER>",
    "<think>Hm, let me see.</think>{}",
    "<think>\nHm.\n</think>\n\n{}",
    "<think></think>{}",
    "Hm, I am not finished.</think>{}",
    "<THINKING>Hm.</THINKING>{}",
    "<thinking>Hm <reflection>no</reflection> well</thinking>{}",
    "<think>One <think>two</think> three</think> {}",
    "<thought>Hm.</thought>{}",
    "<analysis>Hm.</analysis>\n{}",
    "<reasoning>Hm.</reasoning>{}",
    "<reflection>Hm.</reflection>{}",
    "[THINK]Hm.[/THINK]{}",
    "◁think▷Hm.◁/think▷{}",
    "<seed:think>Hm.</seed:think>{}",
    "<think_never_used_51bce>Hm.</think_never_used_51bce>{}",
    "<|begin_of_thought|>Hm.<|end_of_thought|>{}",
    "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "analysisThey want a word.assistantfinal{}",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "<|channel>thought\nHm.<channel|>{}",
    "<SUMMARY>I look.</SUMMARY><CAPTION>A cat.</CAPTION><REASONING>So.</REASONING><CONCLUSION>{}</CONCLUSION>",
]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_words_are_left_of_every_form(form: str) -> None:
    for words in ("Yes", "No", "B", "Image 2", "There is no dog."):
        text = form.format(words)
        assert strip_markup(text) == words
        assert plain(text) == words


@pytest.mark.parametrize(
    "form",
    [
        '{{"answer": "{}"}}',
        "{{'answer': '{}'}}",
        '```json\n{{"answer": "{}"}}\n```',
        '{{"answer": "{}", "reason": "a dog, not a cat: \\"A\\""}}',
        '{{"reasoning": "no dog in A", "final_answer": "{}"}}',
        '{{"answer": "{}"}}\n\nThe dog is brown.',
        'Here is my answer:\n```json\n{{\n  "Answer": "{}"\n}}\n```\nI hope that helps.',
        '{{"answer": "{}", "reason": "The picture is cut',
        '{{"word": "{}"}}',
        '[{{"answer": "{}"}}]',
        "I looked at all of them. \\boxed{{{}}}",
        "First I thought of \\boxed{{another}}. In the end: \\boxed{{\\text{{{}}}}}",
        "It is red. <answer>{}</answer> That is all.",
        "<think>Hm.</think><answer>\\boxed{{{}}}</answer>",
        "It is red.\nAnswer: {}",
        "It is red.\n\n**Answer:** {}",
        "It is red.\n\n**Final answer**: {}",
        "### Answer\n{}",
        "ANSWER - {}",
        "The answer is {}",
        "So the correct answer is: **{}**",
        "The answer is cow? No, I looked again. My final answer is {}",
        "The answer to your question is {}",
        "The correct option would be {}",
        "Conclusion: {}",
        "Answer with one word: {}",
        "答案：{}",
        "正确答案是{}",
        "Réponse : {}",
        "Antwort: {}",
        "Ответ: {}",
        "정답: {}",
    ],
)
def test_what_is_marked_as_the_answer_is_said(form: str) -> None:
    said = ["Yes", "No", "B", "Image 2"]
    assert [strip_markup(form.format(words)) for words in said] == said


@pytest.mark.parametrize(
    "form",
    [
        r"\boxed{{{0}}} and \boxed{{{1}}}",
        r"\boxed{{{0}}}\boxed{{{1}}}",
        "<answer>{0}</answer><answer>{1}</answer>",
        "<answer>{0}</answer>, or <answer>{1}</answer>",
        '{{"answer": "{0}"}}\n{{"answer": "{1}"}}',
        '[{{"answer": "{0}"}}, {{"answer": "{1}"}}]',
    ],
)
def test_different_marked_answers_without_a_correction_are_no_answer(form: str) -> None:
    options = ("horse", "sheep", "Both", "Neither")
    for one, other in [("A", "B"), ("B", "A"), ("horse", "sheep"), ("B", "D")]:
        assert parse("multiple_choice", form.format(one, other), options) == ""
    assert parse("multiple_choice", form.format("B", "B"), options) == "B"
    for one, other in [("yes", "no"), ("No", "Yes")]:
        assert parse("yes_no", form.format(one, other), question="Is there a dog?") == ""


@pytest.mark.parametrize(
    "form", [r"\boxed{{A}}. Wait, no: \boxed{{{0}}}", "<answer>A</answer> No: <answer>{0}</answer>"]
)
def test_the_marked_answer_after_a_correction_counts(form: str) -> None:
    assert parse("multiple_choice", form.format("B"), ("horse", "sheep")) == "B"


@pytest.mark.parametrize(
    "text",
    [
        "<think>There is no dog. \\boxed{No}",
        "<think>I will say <answer>B</answer>, I think",
        "<think>One.</think> <think>Two",
        "Yes, hm. <thinking>But wait",
        "[THINK]No",
        "◁think▷No dog",
        "<|channel|>analysis<|message|>No dog",
        "analysisThe user wants yes or no. There is no",
        "<SUMMARY>I look.</SUMMARY><CAPTION>A cat.</CAPTION><REASONING>So no",
        "<analysis>B",
        "<REASONING>B",
        "",
        "   \n",
        "<think></think>",
        "</s>",
    ],
)
def test_an_unfinished_thought_says_nothing(text: str) -> None:
    assert strip_markup(text) == plain(text) == ""


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("<think>A cat, no.</think>A dog lies on a mat.", "A dog lies on a mat."),
        ("<caption>A dog lies on a mat.</caption>", "A dog lies on a mat."),
        ("A **dog** lies on a *mat*.<|im_end|>", "A dog lies on a mat."),
        ("A <ref>dog</ref><box>(10,20),(300,400)</box> sits.", "A dog sits."),
        ("- A dog\n- A cat", "A dog\nA cat"),
        ("1. A dog\n2. A cat", "A dog\nA cat"),
        ("It’s a “dog” &amp; a cat", 'It\'s a "dog" & a cat'),
        ("~~A cat~~ A dog", "A dog"),
        ("2. That is the number.", "2. That is the number."),
        ("A wall of the analysis lab", "A wall of the analysis lab"),
    ],
)
def test_a_caption_keeps_its_words(text: str, caption: str) -> None:
    assert plain(text) == caption


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"present": false}', "false"),
        ('{"A": false, "B": true, "C": false}', "B"),
        ('{"yes": false, "no": true}', "no"),
        ('{"answer": ["A", "C"]}', '["A", "C"]'),
        ("I cannot say whether the answer is yes.", "I cannot say whether the answer is yes."),
        ("I don't think the answer is B", "I don't think the answer is B"),
        ("An answer is hard to find.", "An answer is hard to find."),
        ("There are four options: a dog, a cat", "There are four options: a dog, a cat"),
        ("Is there a dog? No.\nAnswer:", "Is there a dog? No.\nAnswer:"),
    ],
)
def test_doubtful_marks(text: str, words: str) -> None:
    assert strip_markup(text) == words


MILLION = 1_000_000
PIECES = [
    *("x", "<think>", "</think>", "<", "</", "<|", "[", '{"', "\\boxed{", "\\text{", "answer is ", "the answer to "),
    *(" ", "\n", "\n ", "> ", "- ", "a\n1. ", "~~", "'a':'", "ASSISTANT:", "user\n", "<answer>", "ﷺ", "[INST]", "&#"),
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_million_signs_are_read_at_once(piece: str) -> None:
    """A pattern that goes back over a run once for each of its ends would take minutes; the bound is generous."""
    text = f"x{piece * (MILLION // len(piece))}x"
    begin = time.process_time()
    strip_markup(text)
    assert time.process_time() - begin < 2


@given(st.text() | st.lists(st.sampled_from([*PIECES, "Yes", "No", "B", "."])).map("".join))
def test_nothing_is_made_up(text: str) -> None:
    """Cleaning only takes away; what is said is part of what is plain unless JSON held it."""
    words = plain(text)
    assert words == words.strip()
    assert strip_markup(text) in words or "{" in text or "<" in text or "boxed" in text


@given(st.sampled_from(FORMS), st.sampled_from(FORMS), st.sampled_from(["Yes", "No", "C"]))
def test_yes_and_no_are_left_alike_of_two_forms(outer: str, inner: str, words: str) -> None:
    text = outer.format(inner.format(words))
    assert strip_markup(text).replace(words, "_") == strip_markup(outer.format(inner.format("Maybe"))).replace(
        "Maybe", "_"
    )
