"""A layer norm as a kernel that normcheck can judge: put yours in the place of the function below.

    normcheck check 'exec:python3 my_norm.py'        exit 0, or 1 and the input that shows what is wrong

normcheck_worker.py, beside it, says at its head what else a function may look like: torch tensors, JAX arrays,
devices, bfloat16, a parameter normalized_shape, mean and rstd as results.
"""

import numpy as np

from normcheck_worker import layer_norm


@layer_norm(name="my_norm", version="1")  # dtypes=["f32"] where it does no others
def norm(x, gamma, beta, eps):
    """Normalizes the last dim of x, an array of any rank. gamma and beta may be None."""
    wide = x.astype(np.float64)  # halves and f32 in double: y is rounded once, at the end
    centred = wide - wide.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    y = centred / np.sqrt(variance + eps)
    if gamma is not None:
        y = y * gamma
    if beta is not None:
        y = y + beta
    return y.astype(x.dtype)  # y has x's shape and dtype
