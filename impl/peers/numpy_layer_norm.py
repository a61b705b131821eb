"""A layer norm as a class over NumPy arrays, the way it is often written, as a kernel that normcheck can judge."""

import numpy as np
from normcheck_worker import layer_norm


class LayerNorm:
    """Normalizes the last dims of its input, which are to be normalized_shape, an int or a tuple.

    It refuses a tail that does not match, and nothing else: integers are computed as float32, an empty
    normalized_shape makes a mean of each element by itself (so beta comes out), and a gamma or beta that
    broadcasts is taken.
    """

    def __init__(self, normalized_shape, eps=1e-5):
        single = isinstance(normalized_shape, (int, np.integer))
        self.normalized_shape = (int(normalized_shape),) if single else tuple(normalized_shape)
        self.eps = eps
        self.gamma = np.ones(self.normalized_shape, np.float32)
        self.beta = np.zeros(self.normalized_shape, np.float32)

    def __call__(self, x):
        """y, of x's shape, and of its dtype where that is a floating one; mean and variance are kept."""
        x = np.asarray(x)
        first = x.ndim - len(self.normalized_shape)
        if first < 0 or x.shape[first:] != self.normalized_shape:
            raise ValueError("x of shape %s does not end in %s" % (x.shape, self.normalized_shape))
        floating = np.issubdtype(x.dtype, np.floating)
        work = x.dtype if x.dtype in (np.float32, np.float64) else np.dtype(np.float32)
        axes = tuple(range(first, x.ndim))
        wide = x.astype(work)
        self.mean = wide.mean(axis=axes, keepdims=True)
        centred = wide - self.mean
        self.variance = (centred * centred).mean(axis=axes, keepdims=True)
        y = centred / np.sqrt(self.variance + work.type(self.eps))
        y = y * self.gamma.astype(work) + self.beta.astype(work)
        return y.astype(x.dtype if floating else work)


def instruction_set():
    """The widest that this NumPy uses, of those that change its sums."""
    try:
        features = np.core._multiarray_umath.__cpu_features__
    except AttributeError:
        features = np._core._multiarray_umath.__cpu_features__
    return next((name for name in ("AVX512F", "AVX2", "SSE42") if features.get(name)), "baseline")


@layer_norm(
    name="numpy",
    dtypes=["f32", "f64", "f16"],
    version="%s %s" % (np.__version__, instruction_set()),
    claims="integers=convert",
)
def numpy(x, gamma, beta, eps, normalized_shape):
    np.seterr(all="ignore")
    layer = LayerNorm(normalized_shape, eps)
    if gamma is not None:
        layer.gamma = gamma
    if beta is not None:
        layer.beta = beta
    return layer(x)
