# SPDX-License-Identifier: MIT
# What OpenCV makes of OpenCL behind its UMat: prints what came out.
import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
print("OpenCL", cv2.ocl.haveOpenCL(), cv2.ocl.useOpenCL())
y, x = np.mgrid[0:480, 0:640]
picture = np.stack([(x * 3 + y) % 256, (x ^ y) % 256, (y * 5) % 256], axis=2).astype(np.uint8)
on_gpu = cv2.UMat(picture)
grey = cv2.cvtColor(on_gpu, cv2.COLOR_BGR2GRAY)
for name, made in (
    ("blur", cv2.GaussianBlur(grey, (9, 9), 2)),
    ("edges", cv2.Canny(grey, 50, 150)),
    ("resize", cv2.resize(on_gpu, (320, 240), interpolation=cv2.INTER_AREA)),
    ("equal", cv2.equalizeHist(grey)),
    ("threshold", cv2.threshold(grey, 100, 255, cv2.THRESH_BINARY)[1]),
    ("warp", cv2.warpAffine(grey, np.float32([[1, 0.2, 3], [0.1, 1, 5]]), (640, 480))),
):
    print(name, int(made.get().astype(np.int64).sum()))
print("histogram", cv2.calcHist([grey], [0], None, [8], [0, 256]).get().ravel().astype(int).tolist())
lines = cv2.HoughLines(cv2.Canny(grey, 50, 150), 1, np.pi / 180, 220)
print("lines", lines is not None)
cv2.ocl.finish()
