"""Records what torch.nn.functional.layer_norm gives, as .safetensors beside this file, and torch-*.json.

    python3 -m venv V && V/bin/pip install torch numpy safetensors
    V/bin/python record_torch.py

With each of two instruction sets, by ATEN_CPU_CAPABILITY: the kernels add in another order there. Inputs are drawn by NumPy's PCG64, so that they are the same wherever this runs; outputs are of this machine.
"""
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys

CAPABILITIES = ["default", "avx2"]
if "ATEN_CPU_CAPABILITY" not in os.environ:  # it is read when torch is loaded
    for capability in CAPABILITIES:
        subprocess.run([sys.executable, __file__], check=True, env=os.environ | {"ATEN_CPU_CAPABILITY": capability})
    sys.exit()
CAPABILITY = os.environ["ATEN_CPU_CAPABILITY"]

import numpy as np  # noqa: E402
import safetensors.torch  # noqa: E402
import torch  # noqa: E402

HERE = pathlib.Path(__file__).parent
THREADS = 1
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
# name: shape of x, normalized_shape, kind of rows, affine, eps
CASES = {
    "2d": ([8, 64], [64], "normal", True, 1e-5),
    "2d-odd": ([5, 33], [33], "normal", True, 1e-5),
    "plain": ([4, 48], [48], "normal", False, 1e-5),
    "two-dims": ([3, 6, 10], [6, 10], "normal", True, 1e-5),
    "three-dims": ([2, 3, 4, 5], [3, 4, 5], "normal", True, 1e-5),
    "leading": ([2, 3, 2, 24], [24], "normal", True, 1e-5),
    "no-leading": ([40], [40], "normal", True, 1e-5),
    "one": ([6, 1], [1], "normal", True, 1e-5),
    "constant": ([6, 32], [32], "constant", True, 1e-5),
    "zeros": ([2, 32], [32], "zeros", True, 1e-5),
    "offset": ([4, 64], [64], "offset", True, 1e-5),
    "small-eps": ([4, 64], [64], "small", True, 1e-12),
    "large-eps": ([4, 64], [64], "normal", True, 1e-1),
    "mixed": ([4, 40], [40], "normal", "f32", 1e-5),
}


def rows(rng, kind, shape):
    if kind == "zeros":
        return np.zeros(shape)
    if kind == "constant":
        return np.broadcast_to(rng.choice([0.1, 1, -3, 100.25, 1000, -0.7], size=(shape[0], 1)), shape)
    scale, mean = {"normal": (1, 0.5), "offset": (1, 30), "small": (1e-3, 0)}[kind]
    return rng.standard_normal(shape) * scale + mean


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    torch.set_num_threads(THREADS)
    records = []
    for dtype_name, dtype in DTYPES.items():
        tensors = {}
        path = HERE / f"torch-{CAPABILITY}-{dtype_name}.safetensors"
        rng = np.random.Generator(np.random.PCG64(20240229))
        for name, (shape, normalized, kind, affine, eps) in CASES.items():
            if affine == "f32" and dtype.itemsize != 2:
                continue
            of_affine = torch.float32 if affine == "f32" else dtype
            x = torch.from_numpy(np.array(rows(rng, kind, shape))).to(dtype)
            gamma = torch.from_numpy(rng.standard_normal(normalized)).to(of_affine) if affine else None
            beta = torch.from_numpy(rng.standard_normal(normalized)).to(of_affine) if affine else None
            y = torch.nn.functional.layer_norm(x, normalized, gamma, beta, eps)
            again, mean, rstd = torch.native_layer_norm(x, normalized, gamma, beta, eps)
            assert torch.equal(again, y)
            key = f"{name}."
            tensors[key + "input"] = x.contiguous()
            tensors[key + "output"] = y.contiguous()
            if affine:
                tensors[key + "weight"] = gamma.contiguous()
                tensors[key + "bias"] = beta.contiguous()
            statistics = mean.dtype == (torch.float32 if dtype.itemsize == 2 else dtype)
            if statistics:
                tensors[key + "mean"] = mean.contiguous()
                tensors[key + "rstd"] = rstd.contiguous()
            records.append({"file": path.name, "case": name, "dtype": dtype_name,
                            "norm_ndim": len(normalized), "eps": eps, "affine": bool(affine), "statistics": statistics, "expect": "pass"})
        safetensors.torch.save_file(tensors, path)
        path.chmod(0o644)
        print(path.name, path.stat().st_size, "bytes", hashlib.sha256(path.read_bytes()).hexdigest()[:16])
    written = {
        "what": "torch.nn.functional.layer_norm on the CPU",
        "version": torch.__version__,
        "machine": {"cpu": cpu_model(), "architecture": platform.machine(), "capability": CAPABILITY,
                    "capability_used": torch.backends.cpu.get_cpu_capability(), "threads": THREADS},
        "with": {"python": sys.version.split()[0], "numpy": np.__version__},
        "command": f"ATEN_CPU_CAPABILITY={CAPABILITY} python record_torch.py",
        "records": records,
    }
    lines = ",\n    ".join(json.dumps(r) for r in written.pop("records"))
    head = json.dumps(written, indent=2)[:-2]
    (HERE / f"torch-{CAPABILITY}.json").write_text(f'{head},\n  "records": [\n    {lines}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
