"""Turns a Python function into a kernel that normcheck can judge. Standard library only, Python 3.8 or newer.

    import numpy as np
    from normcheck_worker import layer_norm

    @layer_norm
    def my_norm(x, gamma, beta, eps):
        wide = x.astype(np.float64)
        centred = wide - wide.mean(axis=-1, keepdims=True)
        y = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + eps)
        y = y * (1 if gamma is None else gamma) + (0 if beta is None else beta)
        return y.astype(x.dtype)

Then `normcheck check 'exec:python3 my_norm.py'`; normcheck sets PYTHONPATH so that this module is found. To
use it elsewhere, copy it and normcheck_arrays.py.

What the function gets. x, gamma, beta and eps: by their names, where all are known ones (input, weight,
bias, scale, shift, epsilon, ...), else by place in this order; an absent gamma or beta is None. Where it has
a parameter normalized_shape, norm_ndim or axis, it is told which dims are normalized and sees every array in
its true shape. Where it has none, it is to normalize the last dim: several normalized dims come as one, with
gamma and beta to match (a view; UNSUPPORTED where the strides do not allow one). Arrays are views of the
memory that normcheck looks at, nothing is copied: they may be strided, of rank 1, empty. With a parameter
`out` it may write y there.

A class will do: it is made with (normalized_shape, eps), or (n, eps) where its first parameter has another
name; gamma and beta become its attributes of such a name; then it is called with x.

What it returns. y, of x's shape and dtype, which is copied once; or (y, mean, rstd), one value a row, float32
for halves. NotImplementedError: a call that it does not do (UNSUPPORTED). Any other exception is a failure,
or rightly a refusal where the call was to be refused.

Options, `@layer_norm(...)`:
  arrays      'numpy', 'torch', 'jax', or 'list' (nested lists of floats). Default: what x is annotated as,
              else torch or jax where the file imports that and not NumPy, else numpy, or list without NumPy
  device      of torch, such as 'cuda': x is copied there, and y back; claims memory=copy, as jax does
  dtypes      such as ['f32', 'f16']. Default: all that the arrays have; bf16 where ml_dtypes or torch has it
  bf16        'bits': NumPy arrays of bfloat16 come as uint16, and y is returned so
  as_rows     True: x comes as [rows, n], gamma and beta as [n]
  eps         the one eps that a function without such a parameter computes with
  name, version, claims     what normcheck shows, and what it is held to (normcheck list --contracts). With
              gamma=x or gamma=f32 it is given no gamma and beta of another dtype
  max_calls, max_shapes     a budget of each dtype: what comes after so many calls, or distinct shapes (each
              of which a compiler may take a second for), is UNSUPPORTED
"""

import inspect
import json
import math
import mmap
import os
import re
import socket
import stat
import sys
import traceback

import normcheck_arrays
from normcheck_arrays import ARRAYS, Unsupported, View, Wrong, arrays_of

__all__ = ["layer_norm", "serve"]

_CONTROL, _ARENA = 3, 4  # descriptors
_OK, _UNSUPPORTED, _INVALID, _FAILED = range(4)
_NAMES = {
    "x": ("x", "input", "inputs", "inp", "hidden_states"),
    "gamma": ("gamma", "weight", "scale", "g", "w"),
    "beta": ("beta", "bias", "shift", "offset", "b"),
    "eps": ("eps", "epsilon", "variance_epsilon"),
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names}
_EXTRAS = ("normalized_shape", "norm_ndim", "axis", "out")


def _squeezed(shape):
    return tuple(extent for extent in shape if extent != 1)


def _must_refuse(call):
    """Whether every layer norm must refuse the call."""
    x, ndim, eps = call["x"], call["norm_ndim"], call["eps"]
    if x["dtype"] not in ("f16", "bf16", "f32", "f64") or not 1 <= ndim <= len(x["shape"]):
        return True
    for name in ("gamma", "beta"):
        if name in call:
            halves = x["dtype"] in ("f16", "bf16") and call[name]["dtype"] == "f32"
            if call[name]["shape"] != x["shape"][-ndim:] or not (halves or call[name]["dtype"] == x["dtype"]):
                return True
    return not (math.isfinite(eps) and eps >= 0)


class _Function:
    """A registered function, and how it is called."""

    def __init__(self, function, options):
        self.function, self.options = function, options
        inner = inspect.unwrap(function)
        self.name = str(options.get("name") or getattr(inner, "__name__", type(inner).__name__)).strip("<>")
        if not re.fullmatch(r"[A-Za-z0-9_.+-]+", self.name):
            raise ValueError("name %r: expected letters, digits and . _ + -" % self.name)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # compiled: by place
            parameters = []
        self.kind = options.get("arrays") or arrays_of(inner, parameters)
        if self.kind not in ARRAYS:
            raise ValueError("arrays=%r: expected %s" % (self.kind, ", ".join(ARRAYS)))
        if options.get("bf16") not in (None, "bits") or (options.get("bf16") and self.kind != "numpy"):
            raise ValueError("bf16=%r: expected 'bits', with NumPy arrays" % options["bf16"])
        self.take(parameters)
        self.statistics, self.spent = None, {}
        self.gamma = dict(re.findall(r"(\w+)=(\w+)", options.get("claims") or "")).get("gamma")

    def take(self, parameters):
        """Finds what each parameter is given: self.arguments is a list of (role, keyword or None)."""
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        plain = [p for p in parameters if p.kind not in variable]
        own = [p for p in plain if p.name not in _EXTRAS]
        if not plain and (not parameters or parameters[0].kind == variable[0]):
            self.arguments = [(role, None) for role in _NAMES]
        else:
            known = [p for p in own if p.name in _ROLES]
            roles = [_ROLES[p.name] for p in known]
            rest = [p for p in own if p not in known and p.default is inspect.Parameter.empty]
            if rest or "x" not in roles or len(set(roles)) != len(roles):
                known, roles = own[:4], list(_NAMES)
                if len(own) < 4 or any(p.default is inspect.Parameter.empty for p in own[4:]):
                    self.refuse(plain)
            given = dict(zip((p.name for p in known), roles))
            given.update({p.name: p.name for p in plain if p.name in _EXTRAS})
            by_place = inspect.Parameter.POSITIONAL_ONLY
            self.arguments = [
                (given[p.name], None if p.kind == by_place else p.name) for p in plain if p.name in given
            ]
        self.roles = {role for role, _ in self.arguments}
        self.is_told = bool(self.roles & {"normalized_shape", "norm_ndim", "axis"})
        if "eps" not in self.roles and "eps" not in self.options:
            self.refuse(plain)

    def refuse(self, parameters):
        has = "%s(%s)" % (self.name, ", ".join(p.name for p in parameters))
        wanted = "%s(x, gamma, beta, eps); for one without eps, @layer_norm(eps=1e-5) says which it adds"
        raise TypeError("%s: expected %s" % (has, wanted % self.name))

    def open(self):
        """Imports what its arrays need."""
        self.arrays = ARRAYS[self.kind](self.options)
        if "out" in self.roles and self.arrays.copies:
            raise TypeError("%s: no `out` where arrays are copied; return y" % self.name)
        offered = [name for name in ("f32", "f64", "f16", "bf16") if name in self.arrays.dtypes]
        self.dtypes = list(self.options.get("dtypes") or offered)
        for name in self.dtypes:
            if name not in offered:
                text = "%s: dtype %r; %s has %s"
                raise ValueError(text % (self.name, name, self.arrays.kind, ", ".join(offered)))

    def announced(self):
        claims = self.options.get("claims") or ""
        if self.arrays.copies and "memory=" not in claims:
            claims += (";" if claims else "") + "memory=copy"
        version = str(self.options.get("version") or "")
        out = {"name": self.name, "version": version, "dtypes": self.dtypes, "claims": claims}
        for limit in ("max_calls", "max_shapes"):
            if self.options.get(limit) is not None:
                out[limit] = self.options[limit]
        return out

    def views(self, call):
        """The tensors of a call as the function is to see them."""
        out = {}
        for role in ("x", "gamma", "beta", "y"):
            if role in call:
                t = call[role]
                out[role] = View(t["dtype"], t["shape"], t["strides"], t["offset"] + t["byte_offset"])
                if t["dtype"] not in self.arrays.dtypes:
                    raise Unsupported("%s is %s" % (role, t["dtype"]))
        rows = self.options.get("as_rows")
        if self.is_told and not rows:
            return out
        leading = len(out["x"].shape) - call["norm_ndim"]
        for role, view in out.items():
            begin = leading if role in ("x", "y") else 0
            if begin < 0 or len(view.shape) - begin < 1:
                continue  # to be refused by the function
            if len(view.shape) - begin > 1:
                view = view.merged(begin, len(view.shape), role)
            if rows and role in ("x", "y"):
                view = view.merged(0, begin, role)
            out[role] = view
        return out

    def spend(self, call):
        """Counts the call against the budget."""
        spent = self.spent.setdefault(call["x"]["dtype"], [0, set()])
        limit = self.options.get("max_calls")
        if limit is not None and spent[0] >= limit:
            raise Unsupported("the budget of %d calls is used up" % limit)
        spent[0] += 1
        limit = self.options.get("max_shapes")
        shape = tuple((r, call[r]["dtype"], *call[r]["shape"]) for r in ("x", "gamma", "beta") if r in call)
        if limit is not None and shape not in spent[1] and len(spent[1]) >= limit:
            raise Unsupported("the budget of %d shapes is used up" % limit)
        spent[1].add(shape)

    def run(self, call):
        x, ndim = call["x"], call["norm_ndim"]
        if call["op"] != "layernorm_fwd":
            raise Unsupported(call["op"])
        if not 1 <= ndim <= len(x["shape"]) and not self.is_told:
            return _INVALID, "norm_ndim %d of %d dims" % (ndim, len(x["shape"]))
        wanted = [role for role in ("mean", "rstd") if role in call]
        if wanted and self.statistics is False:
            raise Unsupported("no mean and rstd")
        for role in ("gamma", "beta"):
            if role in call and role not in self.roles:
                raise Unsupported("takes no %s" % role)
            claimed = {"x": x["dtype"], "f32": "f32"}.get(self.gamma)
            if role in call and claimed not in (None, call[role]["dtype"]) and not _must_refuse(call):
                if x["dtype"] in ("f16", "bf16"):
                    raise Unsupported("%s is %s where x is %s" % (role, call[role]["dtype"], x["dtype"]))
        if "eps" not in self.roles and call["eps"] != self.options["eps"]:
            raise Unsupported("eps is %g alone" % self.options["eps"])
        self.spend(call)
        views = self.views(call)
        if 0 in x["shape"][max(0, len(x["shape"]) - ndim) :] and not _must_refuse(call):
            return _OK, ""  # nothing to normalize, nothing to write
        values = dict.fromkeys(("x", "gamma", "beta"))
        for role in values.keys() & views.keys():
            values[role] = self.arrays.hand(views[role])
        values.update(eps=call["eps"], norm_ndim=ndim, normalized_shape=tuple(x["shape"][-ndim:]))
        values["axis"] = -1 if ndim == 1 else tuple(range(-ndim, 0))
        if "out" in self.roles:
            values["out"] = self.arrays.room(views["y"])
        placed = [values[role] for role, keyword in self.arguments if keyword is None]
        named = {keyword: values[role] for role, keyword in self.arguments if keyword is not None}
        result = self.function(*placed, **named)
        self.keep(result, values.get("out"), views["y"], call, wanted)
        return _OK, ""

    def keep(self, result, out, y, call, wanted):
        self.statistics = isinstance(result, tuple)
        if self.statistics:
            if len(result) != 3:
                raise Wrong("returned %d values; expected y, or (y, mean, rstd)" % len(result))
            result, *statistics = result
        if out is None or not (result is None or result is out):
            self.arrays.keep(y, self.checked(result, "y", y.shape, y.dtype, out))
        if wanted and not self.statistics:
            raise Unsupported("no mean and rstd")
        for role in wanted:
            t = call[role]
            array = self.checked(statistics[role == "rstd"], role, None, None, None)
            view = View(t["dtype"], t["shape"], t["strides"], t["offset"] + t["byte_offset"])
            if self.kind != "list":
                if _squeezed(array.shape) != _squeezed(view.shape):
                    shapes = role, list(array.shape), list(view.shape)
                    raise Wrong("returned %s of shape %s; expected %s" % shapes)
                if array.dtype != self.arrays.dtypes[view.dtype]:
                    raise Unsupported("%s is %s, not %s" % (role, array.dtype, view.dtype))
                array = array.reshape(view.shape)
            self.arrays.keep(view, array)

    def checked(self, value, what, shape, dtype, out):
        array = self.arrays.array(value)
        if array is None:
            kind = ("%s.%s" % (type(value).__module__, type(value).__name__)).replace("builtins.", "")
            wrong = "nothing (None)" if value is None else "a %s" % kind
            where = " (None is right where `out` is written)" if out is not None and value is not None else ""
            raise Wrong("returned %s as %s; expected %s%s" % (wrong, what, self.arrays.kind, where))
        if shape is not None and self.kind != "list":
            if tuple(array.shape) != shape:
                raise Wrong("returned %s of shape %s; expected %s" % (what, list(array.shape), list(shape)))
            if array.dtype != self.arrays.dtypes[dtype]:
                wanted = self.arrays.dtypes[dtype]
                raise Wrong("returned %s of dtype %s; expected that of x, %s" % (what, array.dtype, wanted))
        return array


def _of_class(layer):
    """The function that makes a layer of this class, gives it gamma and beta, and calls it with x."""
    parameters = list(inspect.signature(layer).parameters.values())
    eps_name = next((p.name for p in parameters if p.name in _NAMES["eps"]), None)
    if not parameters or eps_name is None:
        raise TypeError("class %s: expected one made by (normalized_shape, eps)" % layer.__name__)
    takes_shape = parameters[0].name in ("normalized_shape", "shape")

    def made(x, gamma, beta, eps, normalized_shape):
        one = layer(normalized_shape if takes_shape else normalized_shape[0], **{eps_name: eps})
        if hasattr(one, "state_dict") and hasattr(one, "to"):  # of torch: dtype and device of x
            one = one.to(x)
        for role, value in (("gamma", gamma), ("beta", beta)):
            name = next((name for name in _NAMES[role] if hasattr(one, name)), None)
            if value is not None and name is None:
                raise NotImplementedError("class %s has no %s" % (layer.__name__, " or ".join(_NAMES[role])))
            if value is not None:
                holds = getattr(one, name)
                setattr(*((holds, "data") if hasattr(holds, "requires_grad") else (one, name)), value)
        return one(x)

    def last_dim(x, gamma, beta, eps):
        return made(x, gamma, beta, eps, (x.shape[-1],))

    function = made if takes_shape else last_dim
    function.__name__, function.__module__ = layer.__name__, layer.__module__
    return function


_functions = []


def layer_norm(function=None, **options):
    """Registers a function, as a decorator with or without options (the module's text lists them)."""
    known = "name version claims dtypes arrays device bf16 as_rows eps max_calls max_shapes".split()
    for name in options:
        if name not in known:
            raise TypeError("layer_norm: unknown option %r; expected one of %s" % (name, ", ".join(known)))
    if function is None:
        return lambda decorated: layer_norm(decorated, **options)
    if not callable(function):
        raise TypeError("layer_norm: %r is no function; options are named, as in name='mine'" % (function,))
    registered = _Function(_of_class(function) if inspect.isclass(function) else function, options)
    if registered.name in (other.name for other in _functions):
        raise ValueError("two functions are named %r; expected a name= each" % registered.name)
    _functions.append(registered)
    return function


# The worker.


def _is_worker():
    try:
        return stat.S_ISSOCK(os.fstat(_CONTROL).st_mode) and stat.S_ISREG(os.fstat(_ARENA).st_mode)
    except OSError:
        return False


def _where(error):
    """The last line of its traceback, and where outside of this module that was."""
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    if isinstance(error, SyntaxError):
        file = os.path.basename(error.filename or "?")
        return "%s (%s line %s)" % (text.split(" (")[0], file, error.lineno)
    here = (__file__, normcheck_arrays.__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in here]
    own = [f for f in frames if "site-packages" not in f.filename and "dist-packages" not in f.filename]
    if not frames or isinstance(error, Wrong):
        return text
    at = (own or frames)[-1]
    return "%s (%s line %s)" % (text, os.path.basename(at.filename), at.lineno)


def _answer(call):
    try:
        status, text = _functions[call["impl"]].run(call)
    except (Unsupported, NotImplementedError) as error:
        status, text = _UNSUPPORTED, str(error) or "NotImplementedError"
    except Wrong as error:
        status, text = _INVALID if _must_refuse(call) else _FAILED, str(error)
    except (Exception, SystemExit) as error:
        status, text = _INVALID if _must_refuse(call) else _FAILED, _where(error)
        if isinstance(error, RuntimeError) and "not implemented for '" in text:  # as torch says it
            status = _UNSUPPORTED
    return {"id": call["id"], "status": status, "msg": text}


def serve():
    """Answers normcheck until it ends. Called by itself at the end of a file that is run; returns at once
    where no normcheck is there."""
    if not _is_worker():
        return
    control = socket.socket(fileno=_CONTROL)

    def say(message):
        try:
            control.sendall(json.dumps(message).encode() + b"\n")
        except OSError:  # nobody is there any more
            os._exit(0)

    try:
        if not _functions:
            raise RuntimeError("no function is decorated with @layer_norm")
        for function in _functions:
            function.open()
    except Exception as error:
        say({"normcheck": 1, "error": "%s: %s" % (_program(), _where(error))})
        os._exit(1)
    sys.stdout.reconfigure(line_buffering=True)  # so that a crash does not swallow what was printed
    announced = [function.announced() for function in _functions]
    say({"normcheck": 1, "ops": ["layernorm_fwd"], "implementations": announced})
    mapped = 0
    for line in control.makefile("rb"):
        call = json.loads(line)
        size = os.fstat(_ARENA).st_size
        if size != mapped:
            memory, mapped = mmap.mmap(_ARENA, size), size
            for function in _functions:
                function.arrays.use(memory)
        if "resize" in call:
            continue
        call["eps"] = float.fromhex(call["eps"])
        say(_answer(call))
    sys.stdout.flush()
    os._exit(0)


def _program():
    return os.path.basename(getattr(sys.modules.get("__main__"), "__file__", None) or "python3")


def _run_main():
    """Where a file that normcheck runs imports this module: runs that file again from its beginning, now with
    the module in place, and then serves. So it needs no last line, its functions may come in any order, and
    what goes wrong while it is read is told to normcheck."""
    main, frame, module = sys.modules.get("__main__"), sys._getframe(), None
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals is getattr(main, "__dict__", None):
            module = frame.f_code
        frame = frame.f_back
    if module is None or not _is_worker():
        return
    for name, other in list(sys.modules.items()):  # begun by the file on its way here: to be read again too
        begun = getattr(getattr(other, "__spec__", None), "_initializing", False)
        if begun and name not in ("__main__", __name__):
            del sys.modules[name]
    try:
        exec(module, main.__dict__)
    except BaseException as error:
        if not isinstance(error, SystemExit) or error.code not in (None, 0):
            traceback.print_exc()
            message = {"normcheck": 1, "error": "%s: %s" % (_program(), _where(error))}
            os.write(_CONTROL, json.dumps(message).encode() + b"\n")
            os._exit(1)
    serve()


_run_main()
