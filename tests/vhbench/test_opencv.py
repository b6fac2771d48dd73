"""Images are the same on every processor: what OpenCV would choose by it is not used."""

import os
import re
import subprocess
import sys
from pathlib import Path

from vhbench.opencv import cv2

ROOT = Path(__file__).parents[2]
PLAIN = {"OPENCV_CPU_DISABLE": "AVX2,FP16,FMA3,AVX", "OPENCV_IPP": "disabled", "NPY_DISABLE_CPU_FEATURES": "X86_V3"}
DRAW = """
import hashlib
from vhbench.builds import mioh_synthetic
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS, perturbation
from vhbench.opencv import cv2
from vhbench.seeding import rng
import numpy as np
scenes, _ = mioh_synthetic.draw(8, 3, 192)
pictures = [scene.image for scene in scenes]
colour = cv2.imdecode(np.frombuffer(pictures[0], np.uint8), cv2.IMREAD_COLOR)
changed = [perturbation(name)(colour, rng(0, name)).tobytes() for name in PERTURBATIONS]
print(hashlib.sha256(b"".join([*pictures, *changed])).hexdigest())
"""


def test_code_paths_of_the_processor_are_off() -> None:
    assert not cv2.useOptimized()
    assert not cv2.ipp.useIPP()


def test_only_one_module_imports_opencv_itself() -> None:
    files = [
        file for folder in ("vhbench", "generators", "adapters", "tasks") for file in (ROOT / folder).rglob("*.py")
    ]
    own = [file for file in files if re.search(r"^\s*(import|from) cv2", file.read_text(), re.MULTILINE)]
    assert own == [ROOT / "vhbench/opencv.py"]


def test_pictures_are_the_same_on_an_older_processor() -> None:
    """Without the one line of the module, the first image already differs."""
    hashes = {
        subprocess.run([sys.executable, "-c", DRAW], env=os.environ | old, check=True, capture_output=True).stdout
        for old in ({}, PLAIN)
    }
    assert len(hashes) == 1
