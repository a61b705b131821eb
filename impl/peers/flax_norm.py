"""flax's LayerNorm over JAX on the CPU, as a kernel that normcheck can judge.

NORMCHECK_FAST_VARIANCE=0 in the environment turns use_fast_variance off, which is on where nobody says so: the
variance is then the mean of the squared differences, not that of the squares minus the square of the mean.
"""

import functools
import os

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # XLA takes a thread for each processor it may use

import flax
import flax.linen
import jax
from normcheck_worker import layer_norm

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

FAST = os.environ.get("NORMCHECK_FAST_VARIANCE", "1") != "0"


@functools.lru_cache(maxsize=None)
def compiled(norm_ndim, has_gamma, has_beta):
    """With eps as an argument, or each would be compiled anew. As a number it is taken in var's dtype too."""

    def apply(parameters, x, eps):
        axes = tuple(range(-norm_ndim, 0))
        module = flax.linen.LayerNorm(
            epsilon=eps.astype(jax.numpy.promote_types(x.dtype, jax.numpy.float32)),
            use_bias=has_beta,
            use_scale=has_gamma,
            reduction_axes=axes,
            feature_axes=axes,
            use_fast_variance=FAST,
        )
        return module.apply({"params": parameters}, x)

    return jax.jit(apply)


@layer_norm(
    name="flax",
    arrays="jax",
    version="%s, 1 thread" % flax.__version__,
    claims="gamma=x",
    max_shapes=150,  # each is compiled
)
def norm(x, gamma, beta, eps, norm_ndim):
    parameters = {"scale": gamma, "bias": beta}
    given = {name: value for name, value in parameters.items() if value is not None}
    return compiled(norm_ndim, gamma is not None, beta is not None)(given, x, jax.numpy.float64(eps))
