"""Training batches for VLMs: prompts equal to inference prompts, loss on the answer only.

TRL's own collators omit the token that inference begins with (LLaVA's BOS). If a template writes no end-of-answer
token, they omit that too, and a model trained this way never stops.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vhbench.adapters.vlms import in_one_line
from vhbench.schema import VhbenchError

Message = Mapping[str, Any]
LEFT_OUT = -100  # label of tokens that are excluded from the loss


class AnswerCollator:
    """Collator for rows with ``images`` and ``messages``; the last message is the answer."""

    def __init__(self, processor: Any, ends: Sequence[str]) -> None:
        """Wrap a processor; the first end token is appended to answers whose template writes none."""
        self.processor, self.tokenizer, self.ends = processor, processor.tokenizer, tuple(ends)

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return a batch of rows with ``messages``, or of the chosen answers of preference pairs, with labels."""
        return self.batch([self.texts(_talk(row)) for row in rows], [row["images"] for row in rows])

    def texts(self, messages: Sequence[Message]) -> tuple[str, str]:
        """Return the prompt as used at inference, and the answer with its end token."""
        talk = [_plain(message) for message in messages]
        prompt = self.processor.apply_chat_template(talk[:-1], add_generation_prompt=True, tokenize=False)
        whole = self.processor.apply_chat_template(talk, tokenize=False)
        # A template may put different whitespace before an answer than after its generation prompt (LLaVA-OneVision's).
        answer = whole[len(prompt) :] if whole.startswith(prompt) else talk[-1]["content"][0]["text"]
        answer = answer.rstrip()
        return prompt, answer if answer.endswith(self.ends) else answer + self.ends[0]

    def batch(self, texts: Sequence[tuple[str, str]], images: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """Return a batch of (prompt, answer) pairs with labels on the answer tokens only."""
        import torch

        batch = self._processed([prompt + answer for prompt, answer in texts], images)
        labels = torch.full_like(batch["input_ids"], LEFT_OUT)
        for i, (prompt, answer) in enumerate(texts):
            before, full = (self.tokenizer(t, add_special_tokens=False)["input_ids"] for t in (prompt, prompt + answer))
            same = next((k for k, (a, b) in enumerate(zip(before, full, strict=False)) if a != b), len(before))
            end = int(batch["attention_mask"][i].sum())
            start = end - (len(full) - same)
            labels[i, start:end] = batch["input_ids"][i, start:end]
        return {**batch, "labels": labels}

    def _processed(self, texts: Sequence[str], images: Sequence[Sequence[Any]]) -> Any:
        begins = self.tokenizer.bos_token and texts[0].startswith(self.tokenizer.bos_token)
        seen = [[image.convert("RGB") for image in row] for row in images]
        with in_one_line("the processor"):
            return self.processor(
                text=list(texts), images=seen if any(seen) else None, padding=True, padding_side="right",
                return_tensors="pt", add_special_tokens=not begins,
            )  # fmt: skip

    def check(self, row: Mapping[str, Any]) -> None:
        """Raise unless a row's prompt equals the inference prompt, and its answer has one end token."""
        prompt, answer = self.texts(_talk(row))
        batch = self([row])
        expected = self._processed([prompt], [row["images"]])["input_ids"][0].tolist()
        ids, labels = batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
        learnt = [label for label in labels if label != LEFT_OUT]
        if ids[: len(expected)] != expected or len(learnt) != len(ids) - len(expected):
            raise VhbenchError("expected equal prompts in training and inference; this model cannot be fine-tuned")
        if sum(self.tokenizer.convert_ids_to_tokens(i) in self.ends for i in learnt) != 1:
            raise VhbenchError(f"the answer {answer!r} does not end in one of {', '.join(self.ends)}, once")


class PreferenceCollator:
    """DPO collator for rows with ``images``, ``prompt``, ``chosen`` and ``rejected``."""

    def __init__(self, answers: AnswerCollator) -> None:
        """Set the collator that formats prompts and answers."""
        self.answers = answers

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return input ids, masks and pixels of the chosen answers, then of the rejected ones."""
        texts = [self.answers.texts([*row["prompt"], *row[side]]) for side in ("chosen", "rejected") for row in rows]
        batch = self.answers.batch(texts, [row["images"] for row in rows] * 2)
        labels = batch.pop("labels")
        return {**batch, "completion_mask": (labels != LEFT_OUT).long()}


def end_tokens(model: Any, tokenizer: Any) -> list[str]:
    """Return a model's stop tokens: the tokenizer's EOS, then its generation config's; raise if it has none."""
    configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    ids = [] if configured is None else [configured] if isinstance(configured, int) else list(configured)
    names = [tokenizer.eos_token, *(tokenizer.convert_ids_to_tokens(i) for i in ids)]
    tokens = [name for name in dict.fromkeys(names) if name]
    if not tokens:
        raise VhbenchError("expected an end token in the tokenizer or the generation config, got none")
    return tokens


def _talk(row: Mapping[str, Any]) -> Sequence[Message]:
    """Return the messages of a row; of a preference pair with the chosen answer."""
    return row.get("messages") or [*row["prompt"], *row["chosen"]]


def _plain(message: Message) -> dict[str, Any]:
    """Return a message without the empty texts of a table's image parts."""
    content = [{"type": "image"} if part["type"] == "image" else dict(part) for part in message["content"]]
    return {"role": message["role"], "content": content}
