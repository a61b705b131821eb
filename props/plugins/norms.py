"""Layer norms over NumPy arrays, right, and each with one thing that a Python function can do wrong."""

import ctypes
import os
import sys

import numpy as np
from normcheck_worker import layer_norm


def moments(x, eps, ndim=1):
    """x in double with its mean taken off, the mean, and 1/sqrt(var + eps)."""
    axes = tuple(range(-ndim, 0))
    wide = x.astype(np.float64)
    mean = wide.mean(axis=axes, keepdims=True)
    centred = wide - mean
    return centred, mean, 1 / np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + eps)


def affine(x_hat, gamma, beta):
    return x_hat * (1 if gamma is None else gamma) + (0 if beta is None else beta)


@layer_norm(version="1.2", claims="deterministic=yes")
def right(x, gamma, beta, eps):
    centred, _, rstd = moments(x, eps)
    return helper(centred * rstd, gamma, beta, x.dtype)


def helper(x_hat, gamma, beta, dtype):  # below the first decorated function: the whole file is read first
    return affine(x_hat, gamma, beta).astype(dtype)


@layer_norm
def told_ndim(input, norm_ndim, weight=None, bias=None, epsilon=1e-5):
    centred, _, rstd = moments(input, epsilon, norm_ndim)
    return affine(centred * rstd, weight, bias).astype(input.dtype)


@layer_norm
def told_shape(a, normalized_shape, b, c, d):  # a, b, c, d: by place
    centred, _, rstd = moments(a, d, len(normalized_shape))
    return affine(centred * rstd, b, c).astype(a.dtype)


@layer_norm
def statistics(x, gamma, beta, eps, axis=-1):
    ndim = 1 if axis == -1 else len(axis)
    centred, mean, rstd = moments(x, eps, ndim)
    dtype = np.float64 if x.dtype == np.float64 else np.float32
    return affine(centred * rstd, gamma, beta).astype(x.dtype), mean.astype(dtype), rstd.astype(dtype)


@layer_norm(claims='stats=x')
def half_statistics(x, gamma, beta, eps):
    y, mean, rstd = statistics(x, gamma, beta, eps)
    return y, mean.astype(x.dtype), rstd.astype(x.dtype)


@layer_norm
class Layer:
    """As a class of such a kind is often written; its author's f32 gamma and beta stay where none are given."""

    def __init__(self, normalized_shape, eps=1e-5):
        self.shape, self.eps = normalized_shape, eps
        self.gamma = np.ones(normalized_shape, np.float32)
        self.beta = np.zeros(normalized_shape, np.float32)

    def __call__(self, x):
        centred, _, rstd = moments(x, self.eps, len(self.shape))
        return affine(centred * rstd, self.gamma, self.beta).astype(x.dtype)


@layer_norm
class LastDim(Layer):
    def __init__(self, dim, epsilon):
        super().__init__((dim,), epsilon)


@layer_norm
def writes_out(x, gamma, beta, eps, out):
    out[...] = right(x, gamma, beta, eps)


@layer_norm(as_rows=True)
def two_dims(x, gamma, beta, eps):
    rows, n = x.shape
    mean = x.astype(np.float64).sum(axis=1)[:, None] / n
    centred = x - mean
    rstd = 1 / np.sqrt((centred * centred).sum(axis=1)[:, None] / n + eps)
    return affine(centred * rstd, gamma, beta).astype(x.dtype)


def widened(bits):
    return None if bits is None else (bits.astype(np.uint32) << 16).view(np.float32)


@layer_norm(bf16="bits", dtypes=["bf16"])
def bits(x, gamma, beta, eps):
    parameters = [widened(p) if p is not None and p.dtype == np.uint16 else p for p in (gamma, beta)]
    centred, _, rstd = moments(widened(x), eps)
    narrow = affine(centred * rstd, *parameters).astype(np.float32)
    wide = narrow.view(np.uint32).astype(np.uint64)
    rounded = ((wide + 0x7FFF + (wide >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(narrow), np.uint16(0x7FC0), rounded)


@layer_norm(claims="gamma=x", dtypes=["f16"])
def own_gamma(x, gamma, beta, eps):
    if x.dtype != gamma.dtype:
        raise RuntimeError("gamma is %s" % gamma.dtype)
    return right(x, gamma, beta, eps)


@layer_norm
def says_so_as_torch_does(x, gamma, beta, eps):
    raise RuntimeError("\"LayerNormKernelImpl\" not implemented for 'Half'")


@layer_norm(eps=1e-5)
def one_eps(x, gamma, beta):
    return right(x, gamma, beta, 1e-5)


@layer_norm(max_calls=3, max_shapes=2)
def budget(x, gamma, beta, eps):
    return right(x, gamma, beta, eps)


@layer_norm
def loud(x, gamma, beta, eps):
    print("p" * 300000)
    print("q" * 300000, file=sys.stderr)
    return right(x, gamma, beta, eps)


@layer_norm
def divisor(x, gamma, beta, eps):
    centred, _, _ = moments(x, eps)
    rstd = 1 / np.sqrt((centred * centred).sum(axis=-1, keepdims=True) / (x.shape[-1] - 1) + eps)
    return affine(centred * rstd, gamma, beta).astype(x.dtype)


@layer_norm
def wrong_mean(x, gamma, beta, eps):
    y, mean, rstd = statistics(x, gamma, beta, eps)
    return y, mean * np.float32(1.01), rstd


@layer_norm
def in_place(x, gamma, beta, eps):
    x[...] = right(x, gamma, beta, eps)
    return x


@layer_norm
def one_column(x, gamma, beta, eps):
    return right(x, gamma, beta, eps)[..., :1]


@layer_norm
def double(x, gamma, beta, eps):
    return right(x, gamma, beta, eps).astype(np.float64)


@layer_norm
def nothing(x, gamma, beta, eps):
    right(x, gamma, beta, eps)


@layer_norm
def plain_list(x, gamma, beta, eps):
    return right(x, gamma, beta, eps).tolist()


@layer_norm
def pair(x, gamma, beta, eps):
    return right(x, gamma, beta, eps), moments(x, eps)[1]


@layer_norm
def raises(x, gamma, beta, eps):
    return {}[x.shape[0]]


@layer_norm
def cannot(x, gamma, beta, eps):
    raise NotImplementedError("no such thing here")


@layer_norm
def leaves(x, gamma, beta, eps):
    sys.exit(5)


@layer_norm
def dies(x, gamma, beta, eps):
    os._exit(6)


@layer_norm
def crashes(x, gamma, beta, eps):
    ctypes.string_at(0)


@layer_norm
def refuses_too_little(x, gamma, beta, eps):
    if not eps >= 0:
        raise ValueError("eps is %g" % eps)
    return right(x, gamma, beta, eps)
