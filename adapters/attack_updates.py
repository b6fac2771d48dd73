"""Updates of an attack: the paper's fixed steps, and APGD's."""

import math

import torch
from torch import Tensor

from vhbench.adapters.attack_config import AttackConfig, Direction


class Fixed:
    """The paper's updates: steps of a given size along the gradient or its sign."""

    def __init__(self, x: Tensor, clean: Tensor, direction: Direction, config: AttackConfig) -> None:
        """Keep the originals and the settings."""
        self.clean, self.direction, self.config = clean, direction, config

    def __call__(self, step: int, x: Tensor, gradient: Tensor, *_: Tensor) -> Tensor:
        """Return the next images, which raise the value whose gradient is given."""
        ascent = torch.sign if self.config.method == "ifgsm" else torch.clone if self.config.compat else evened
        moved = x + self.config.rate(step, self.direction) * ascent(gradient)
        return project(moved, self.clean, epsilon=self.config.epsilon)


class Apgd:
    """APGD's updates (Croce and Hein 2020, algorithm 1): momentum, and steps that halve where progress stops."""

    def __init__(self, x: Tensor, clean: Tensor, direction: Direction, config: AttackConfig) -> None:
        """Start at a step of twice epsilon, with the checkpoints of the paper."""
        self.clean, self.epsilon, self.previous = clean, config.epsilon, x
        self.size = torch.full(x.shape[:1], 2 * config.epsilon, device=x.device)
        self.checkpoints, share, gap = [0], 0.22, 0.22
        while share <= 1:
            self.checkpoints.append(math.ceil(share * config.steps(direction)))
            gap = max(gap - 0.03, 0.06)
            share += gap
        self.rises, self.halved = torch.zeros_like(self.size), torch.ones_like(self.size, dtype=torch.bool)
        self.value, self.marked = torch.full_like(self.size, -math.inf), torch.full_like(self.size, -math.inf)
        self.at_best = torch.zeros_like(x)

    def __call__(self, step: int, x: Tensor, gradient: Tensor, value: Tensor, best: Tensor, score: Tensor) -> Tensor:
        """Return the next images; a halved step starts from the best images so far."""
        self.rises += value > self.value
        self.value = value
        self.at_best = torch.where(per_image(value >= score), gradient, self.at_best)
        if step and step in self.checkpoints:
            length = step - self.checkpoints[self.checkpoints.index(step) - 1]
            stuck = (self.rises < 0.75 * length) | (~self.halved & (score <= self.marked))
            self.size = torch.where(stuck, self.size / 2, self.size)
            x, gradient = (torch.where(per_image(stuck), *both) for both in ((best, x), (self.at_best, gradient)))
            self.previous = torch.where(per_image(stuck), best, self.previous)
            self.rises, self.halved, self.marked = torch.zeros_like(self.rises), stuck, score
        ahead = project(x + per_image(self.size) * gradient.sign(), self.clean, epsilon=self.epsilon)
        share = 0.75 if step else 1.0
        moved = x + share * (ahead - x) + (1 - share) * (x - self.previous)
        self.previous = x
        return project(moved, self.clean, epsilon=self.epsilon)


def per_image(values: Tensor) -> Tensor:
    """Reshape one value per image to broadcast over its pixels."""
    return values[:, None, None, None]


def evened(gradient: Tensor) -> Tensor:
    """Return gradients scaled to a mean magnitude of 1 per image, independent of image size."""
    return gradient / gradient.abs().mean(dim=(1, 2, 3), keepdim=True).clamp_min(torch.finfo(gradient.dtype).tiny)


def project(x: Tensor, clean: Tensor, *, epsilon: float) -> Tensor:
    """Project images onto the epsilon ball around the clean ones and onto [0, 1]."""
    return torch.clamp(clean + torch.clamp(x - clean, -epsilon, epsilon), 0, 1)
