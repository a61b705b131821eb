"""ONNX Runtime's LayerNormalization on the CPU, as a kernel that normcheck can judge."""

import functools

import numpy as np
import onnx
import onnxruntime
from normcheck_worker import layer_norm
from onnx import TensorProto, helper

TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16}


@functools.lru_cache(maxsize=64)
def session(dtype, norm_ndim, eps, has_beta):
    """A model of the one node; the epsilon of an ONNX node is a float32."""
    inputs = ["x", "gamma", "beta"][: 3 if has_beta else 2]
    # The standard has the statistics of doubles in float32, the kernel in float64: no model can ask for them.
    outputs = ["y"] if dtype == "float64" else ["y", "mean", "rstd"]
    node = helper.make_node("LayerNormalization", inputs, outputs, axis=-norm_ndim, epsilon=eps)
    given = [helper.make_tensor_value_info(name, TYPES[dtype], None) for name in inputs]
    types = [TYPES[dtype], TensorProto.FLOAT, TensorProto.FLOAT]
    results = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(outputs, types)]
    graph = helper.make_graph([node], "layer_norm", given, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    raw = model.SerializeToString()
    return onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])


@layer_norm(
    name="onnxruntime",
    dtypes=["f32", "f64", "f16"],
    version="%s, 1 thread" % onnxruntime.__version__,
    claims="gamma=x;eps=f32",
)
def norm(x, gamma, beta, eps, norm_ndim):
    if gamma is None:  # the node wants one
        gamma = np.ones(x.shape[x.ndim - norm_ndim :], x.dtype)
    feeds = {"x": np.ascontiguousarray(x), "gamma": np.ascontiguousarray(gamma)}
    if beta is not None:
        feeds["beta"] = np.ascontiguousarray(beta)
    results = session(x.dtype.name, norm_ndim, eps, beta is not None).run(None, feeds)
    return results[0] if len(results) == 1 else tuple(results)
