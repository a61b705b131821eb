"""OpenVINO's MVN-6 on the CPU, with a scale and a shift behind it, as a kernel that normcheck can judge."""

import functools

import numpy as np
import openvino
from normcheck_worker import layer_norm
from openvino import opset13 as ops

CORE = openvino.Core()
# What a user gets without these: as many threads as cores, and bf16 inside where the processor has it.
PINNED = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}


@functools.lru_cache(maxsize=4)  # each has threads of its own
def compiled(dtype, rank, norm_ndim, eps, has_gamma, has_beta):
    """MVN-6 with eps inside the root, as a layer norm has it; its eps is a float32."""
    kind = np.dtype(dtype)
    x = ops.parameter([-1] * rank, kind, name="x")
    axes = ops.constant(list(range(-norm_ndim, 0)), np.int64)
    y = ops.mvn(x, axes, normalize_variance=True, eps=eps, eps_mode="inside_sqrt")
    inputs = [x]
    for wanted, operation in ((has_gamma, ops.multiply), (has_beta, ops.add)):
        if wanted:
            inputs.append(ops.parameter([-1] * norm_ndim, kind))
            y = operation(y, inputs[-1])
    return CORE.compile_model(openvino.Model([y], inputs, "layer_norm"), "CPU", PINNED)


@layer_norm(
    name="openvino",
    dtypes=["f32", "f16"],
    version="%s, 1 thread" % openvino.__version__.split("-")[0],
    claims="gamma=x;eps=f32",
)
def norm(x, gamma, beta, eps, norm_ndim):
    model = compiled(x.dtype.name, x.ndim, norm_ndim, eps, gamma is not None, beta is not None)
    given = [np.ascontiguousarray(array) for array in (x, gamma, beta) if array is not None]
    return np.array(model(given)[0])
