"""The arrays of normcheck_worker.py: what NumPy, JAX, torch or a list makes of shared memory."""

import importlib
import inspect
import math
import struct
import sys

SIZES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i32": 4, "i64": 8}


class Unsupported(Exception):
    """A valid call that the function cannot be given."""


class Wrong(Exception):
    """What the function returned is no output."""


class View:
    """A tensor of the arena: strides in elements, `first` in bytes from its beginning."""

    def __init__(self, dtype, shape, strides, first):
        self.dtype, self.shape, self.strides, self.first = dtype, tuple(shape), tuple(strides), first

    def merged(self, begin, end, what):
        """With the dims from `begin` to `end` as one; no dims become one of extent 1."""
        extent, step = 1, 1
        for size, stride in reversed(list(zip(self.shape[begin:end], self.strides[begin:end]))):
            if extent == 1:
                step = stride
            elif size > 1 and stride != extent * step and 0 not in self.shape:
                raise Unsupported("strides: several dims of %s are no single one in memory" % what)
            extent *= size
        shape = self.shape[:begin] + (extent,) + self.shape[end:]
        return View(self.dtype, shape, self.strides[:begin] + (step,) + self.strides[end:], self.first)


# Arrays: `hand` gives the function a view, `keep` takes what it returned, `room` is what it may write into.


class _NumPy:
    kind, copies = "a NumPy array", False

    def __init__(self, options):
        import numpy

        self.numpy = numpy
        names = {"f16": "float16", "f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}
        self.dtypes = {name: numpy.dtype(full) for name, full in names.items()}
        if options.get("bf16") == "bits":
            self.dtypes["bf16"] = numpy.dtype("uint16")
        elif options.get("bf16") is None:
            try:
                import ml_dtypes

                self.dtypes["bf16"] = numpy.dtype(ml_dtypes.bfloat16)
            except Exception:  # not there, or for another NumPy
                pass

    def use(self, memory):
        self.memory = memory

    def room(self, v):
        size = SIZES[v.dtype]
        return self.numpy.ndarray(
            v.shape, self.dtypes[v.dtype], self.memory, v.first, [step * size for step in v.strides]
        )

    hand = room

    def array(self, value):
        return value if isinstance(value, self.numpy.ndarray) else None

    def keep(self, v, array):
        self.room(v)[...] = array


class _Jax(_NumPy):
    kind, copies = "a JAX array", True

    def __init__(self, options):
        super().__init__(options)
        import jax

        self.jax = jax
        if not jax.config.jax_enable_x64:
            del self.dtypes["f64"], self.dtypes["i64"]

    def hand(self, v):  # copied first: JAX may keep the memory that it is given
        return self.jax.numpy.asarray(self.room(v).copy())

    def array(self, value):
        return value if isinstance(value, (self.jax.Array, self.numpy.ndarray)) else None

    def keep(self, v, array):
        self.room(v)[...] = self.numpy.asarray(array)


class _Torch:
    kind = "a torch.Tensor"

    def __init__(self, options):
        import torch

        torch.set_grad_enabled(False)
        self.torch, self.device = torch, options.get("device")
        self.copies = self.device is not None and torch.device(self.device).type != "cpu"
        names = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
        names.update({"i32": "int32", "i64": "int64"})
        self.dtypes = {name: getattr(torch, full) for name, full in names.items()}

    def use(self, memory):
        frombuffer = self.torch.frombuffer
        self.flat = {name: frombuffer(memory, dtype=dtype) for name, dtype in self.dtypes.items()}

    def room(self, v):
        return self.torch.as_strided(self.flat[v.dtype], v.shape, v.strides, v.first // SIZES[v.dtype])

    def hand(self, v):
        return self.room(v).to(self.device) if self.copies else self.room(v)

    def array(self, value):
        return value if isinstance(value, self.torch.Tensor) else None

    def keep(self, v, array):
        self.room(v).copy_(array.detach())


class _Lists:
    """Nested lists of floats; what is returned is rounded once. For Python without NumPy."""

    kind, copies = "a list of floats", True
    codes = {"f16": "e", "f32": "f", "f64": "d", "i32": "i", "i64": "q"}

    def __init__(self, options):
        self.dtypes = dict.fromkeys(self.codes, float)

    def use(self, memory):
        self.memory = memory

    def hand(self, v, dim=0, at=0):
        if dim < len(v.shape):
            return [self.hand(v, dim + 1, at + i * v.strides[dim]) for i in range(v.shape[dim])]
        return struct.unpack_from(self.codes[v.dtype], self.memory, v.first + at * SIZES[v.dtype])[0]

    def array(self, value):
        return value if isinstance(value, (list, tuple)) else None

    def keep(self, v, values, dim=0, at=0):
        if dim < len(v.shape):
            if not isinstance(values, (list, tuple)) or len(values) != v.shape[dim]:
                raise Wrong("returned lists that are not of shape %s" % list(v.shape))
            for i, value in enumerate(values):
                self.keep(v, value, dim + 1, at + i * v.strides[dim])
            return
        try:
            raw = struct.pack(self.codes[v.dtype], values)
        except OverflowError:  # more than the dtype's largest number
            raw = struct.pack(self.codes[v.dtype], math.copysign(math.inf, values))
        self.memory[v.first + at * len(raw) : v.first + (at + 1) * len(raw)] = raw


ARRAYS = {"numpy": _NumPy, "torch": _Torch, "jax": _Jax, "list": _Lists}


def arrays_of(function, parameters):
    """Which arrays a function takes, where nobody said so."""
    note = parameters[0].annotation if parameters else inspect.Parameter.empty
    if not isinstance(note, str):
        note = getattr(note, "__module__", "") + "." + getattr(note, "__name__", "")
    modules = vars(sys.modules.get(function.__module__, math)).values()
    imported = {getattr(value, "__name__", "").split(".")[0] for value in modules if inspect.ismodule(value)}
    for kind, words in (("torch", ("torch",)), ("jax", ("jax", "jnp")), ("numpy", ("numpy", "np"))):
        if note.split(".")[0] in words:
            return kind
    if note.lower().replace("builtins.", "").startswith("list"):
        return "list"
    for kind in ("torch", "jax"):
        if kind in imported and "numpy" not in imported:
            return kind
    try:
        importlib.import_module("numpy")
    except ImportError:
        return "list"
    return "numpy"
