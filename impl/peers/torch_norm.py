"""PyTorch's native_layer_norm on the CPU, as a kernel that normcheck can judge."""

import os
import sys

# Beside it may lie torch.so, the plug-in of a libtorch, which Python would take for the module.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder) != HERE]

import torch
from normcheck_worker import layer_norm

torch.set_num_threads(1)


@layer_norm(
    name="torch",
    arrays="torch",
    version="%s %s, 1 thread" % (torch.__version__.split("+")[0], torch.backends.cpu.get_cpu_capability()),
)
def norm(x, gamma, beta, eps, normalized_shape):
    """y, mean and rstd. Of halves these are of x's dtype, so are not asked for, where gamma is not of float32."""
    given = {array.dtype for array in (gamma, beta) if array is not None}
    if len(given) > 1 or (given and gamma is None and given != {x.dtype}):
        raise NotImplementedError("gamma and beta of two dtypes, or beta alone that is not of x's")
    return torch.native_layer_norm(x, normalized_shape, gamma, beta, eps)
