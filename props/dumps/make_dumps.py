"""Writes the files beside it: one tensor `x` [2,3], and others, as other programs write them.

    python3 -m venv V && V/bin/pip install numpy ml_dtypes safetensors onnx && V/bin/python make_dumps.py
"""
import io
import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
import safetensors
import safetensors.numpy

HERE = pathlib.Path(__file__).parent
X = np.array([[1.5, -0.0, np.nan], [np.inf, 2.0**-149, 3.0]], np.float32)
HALF = np.array([[1, -2, 3], [4, 5, 6]])


class NoSeek(io.RawIOBase):
    """A pipe, to zipfile: sizes and checksums then follow the data."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def main():
    tensors = {"x": X, "norm.weight": np.float64([1, 2, 3]), "half": HALF.astype(np.float16),
               "brain": HALF.astype(ml_dtypes.bfloat16), "flag": np.array([True])}
    np.savez(HERE / "stored.npz", **tensors)
    np.savez_compressed(HERE / "deflated.npz", **tensors)
    pipe = NoSeek()
    np.savez_compressed(pipe, **tensors)
    (HERE / "streamed.npz").write_bytes(pipe.bytes)
    np.save(HERE / "fortran.npy", np.asfortranarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4)))
    np.save(HERE / "big_endian.npy", X.astype(">f4"))
    np.save(HERE / "object.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    safetensors.numpy.save_file(
        {"x": X, "norm.weight": np.float64([1, 2, 3]), "half": HALF.astype(np.float16),
         "brain": HALF.astype(ml_dtypes.bfloat16), "flag": np.array([True]), "count": np.int64([7]),
         "small": np.int32([-8])}, HERE / "mixed.safetensors", metadata={"made_by": "make_dumps.py"})
    for name, value, kind in [("raw", X, None), ("typed", X, onnx.TensorProto.FLOAT),
                              ("half", HALF.astype(np.float16), onnx.TensorProto.FLOAT16),
                              ("brain", HALF.astype(np.float32), onnx.TensorProto.BFLOAT16),
                              ("double", X.astype(np.float64), onnx.TensorProto.DOUBLE),
                              ("long", -HALF, onnx.TensorProto.INT64)]:
        tensor = (onnx.numpy_helper.from_array(value, "x") if kind is None
                  else onnx.helper.make_tensor("x", kind, value.shape, value.flatten()))
        (HERE / f"{name}.pb").write_bytes(tensor.SerializeToString())
    print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__, "safetensors", safetensors.__version__,
          "onnx", onnx.__version__, "python", sys.version.split()[0])


if __name__ == "__main__":
    main()
