"""What the programs in this folder give, in double precision: the file that the tests read.

Usage: run.py > golden.json, with what tests/tests/jax/requirements.txt names. Inputs are made here, and are in the file, too.
"""

import json
from importlib import import_module

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

RANDOM = np.random.default_rng(15)


def normal(*shape):
    return RANDOM.normal(size=shape).round(3)


def integers(most, *shape):
    return RANDOM.integers(most, size=shape, dtype=np.int32)


def signs(n):
    return 2.0 * integers(2, n) - 1.0


def grid(height, width):
    return np.linspace(-2, 1, width) + 1j * np.linspace(-1, 1, height)[:, None]


STARTS = np.array([0, 2, 2, 5, 6], np.int32)
POISSON = import_module("struct_of_parameters").Model(normal(3), normal())

PROGRAMS = {
    "linear_regression": ("fit", normal(3), normal(8, 3), normal(8)),
    "logistic_regression": ("fit", normal(3), normal(8, 3), signs(8)),
    "softmax_regression": ("fit", normal(3, 4), normal(8, 3), integers(4, 8)),
    "mlp": ("train", (normal(3, 5), normal(5), normal(5, 2), normal(2)), normal(8, 3), normal(8, 2)),
    "k_means": ("cluster", normal(20, 2), normal(3, 2)),
    "heat": ("heat", normal(5, 7)),
    "n_body": ("simulate", np.abs(normal(4)), normal(4, 3), normal(4, 3)),
    "sparse_product": ("product", STARTS, integers(5, 6), normal(6), normal(5)),
    "histogram": ("equalize", integers(256, 6, 8)),
    "mandelbrot": ("mandelbrot", grid(8, 12)),
    "hessian_vector_product": ("product", normal(6), normal(6)),
    "struct_of_parameters": ("fit", POISSON, normal(8, 3), 1.0 * integers(4, 8)),
    "prefix_sums": ("table", normal(4, 5)),
    "top_k": ("predict", normal(10, 3), normal(10), normal(4, 3)),
    "newton": ("minimum", np.concatenate([np.eye(3), -np.eye(3), normal(2, 3)]), normal(8), normal(3)),
}


def described(array):
    array = np.asarray(array)
    numbers = array.ravel()
    if np.iscomplexobj(array):
        numbers = np.stack([numbers.real, numbers.imag], axis=1)
    return {"shape": array.shape, "values": numbers.tolist()}


def result(name, function, *inputs):
    program = jax.jit(getattr(import_module(name), function))
    outputs = program(*jax.tree.map(jnp.asarray, inputs))
    leaves = {"inputs": inputs, "outputs": outputs}
    return {key: [described(leaf) for leaf in jax.tree.leaves(tree)] for key, tree in leaves.items()}


results = {name: result(name, *program) for name, program in PROGRAMS.items()}
print("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(all, allow_nan=False)}" for name, all in results.items()) + "\n}")
