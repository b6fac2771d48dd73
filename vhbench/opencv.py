"""OpenCV with the same results on every processor.

Its faster code paths, and Intel's IPP, are chosen by the processor and round differently: images, and with them the
content hashes of splits, would depend on the machine. Without them, a split takes as long to build.
"""

import cv2

__all__ = ["cv2"]

cv2.setUseOptimized(False)
