"""The operations of benches/benches/primitives.rs by JAX, compiled. Where there are several spellings, the fastest counts.

Usage: primitives.py THREADS SECONDS. Each line of standard input asks for a case: its name, a file for the result, and the inputs, which are
a type (f64 or i32), extents and a file of little-endian numbers each; all separated by tabs, extents by commas. The answer is a line of
standard output: the seconds of the fastest call, or `-` and why there is none. The result is written as f64.
"""

import os
import sys
import time

THREADS, SECONDS = int(sys.argv[1]), float(sys.argv[2])
# XLA makes as many threads as there are processors that this process may use: to be said before it starts.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])

import jax  # noqa: E402

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

CROSS = [[0.0, 0.2, 0.0], [0.25, 0.1, 0.15], [0.0, 0.3, 0.0]]
SQUARE = [[0.1, 0.2, 0.05], [0.25, 0.1, 0.15], [0.02, 0.3, 0.07]]
MODES = {"Clamp": "edge", "Mirror": "reflect", "Wrap": "wrap", "Zero": "constant"}


def stencil(points, border):
    weights = CROSS if points == 5 else SQUARE

    def apply(m):
        rows, columns = m.shape
        padded = jnp.pad(m, 1, mode=MODES[border])
        places = [(i, j) for i in range(3) for j in range(3) if weights[i][j] != 0.0]
        return sum(weights[i][j] * padded[i : i + rows, j : j + columns] for i, j in places)

    return apply


def adjoint(points, border):
    apply = stencil(points, border)
    return lambda m: jax.vjp(apply, m)[1](m)[0]


def segmented(x, lengths):
    count = lengths.shape[0]
    of = jnp.repeat(jnp.arange(count), lengths, total_repeat_length=x.shape[0])
    return jax.ops.segment_sum(x, of, num_segments=count, indices_are_sorted=True)


def scan(axis_of):
    return [lambda x: jnp.cumsum(x, axis_of), lambda x: jax.lax.associative_scan(jnp.add, x, axis=axis_of)]


def histogram(bins):
    return [
        lambda keys: jnp.zeros(bins, jnp.int32).at[keys].add(1),
        lambda keys: jnp.bincount(keys, length=bins),
    ]


def half(x):
    # The size of a result has to be known when this is compiled.
    n = x.shape[0]
    return x[jnp.nonzero(x < n / 2, size=n // 2)]


CASES = {
    "map, 2x + 1": [lambda x: 2.0 * x + 1.0],
    "map, exp": [jnp.exp],
    "map, tanh": [jnp.tanh],
    "fold, all": [jnp.sum],
    "fold, inner axis": [lambda m: jnp.sum(m, axis=1)],
    "fold, outer axis": [lambda m: jnp.sum(m, axis=0)],
    "scan, f64": scan(0),
    "scan, i32": scan(0),
    "scan, inner axis": scan(1),
    "gather": [lambda x, at: x[at], lambda x, at: jnp.take(x, at, mode="clip")],
    "permute, each once": [lambda x, to: jnp.zeros_like(x).at[to].add(x)],
    "filter, half of all": [half],
    "sort": [jnp.sort],
    "segmented sum": [segmented],
    "convolution, 9 taps": [lambda x, taps: jnp.correlate(x, taps, mode="valid"), lambda x, taps: shifted(x, taps)],
}


def shifted(x, taps):
    n, k = x.shape[0], taps.shape[0]
    return sum(taps[i] * x[i : n - k + 1 + i] for i in range(k))


def spellings(name):
    words = name.replace(",", "").split()
    if name.startswith("stencil"):
        return [stencil(int(words[1]), words[3])]
    if name.startswith("… its adjoint"):
        return [adjoint(int(words[3]), words[4])]
    if name.startswith("histogram"):
        return histogram(int(words[1]))
    return next(found for start, found in CASES.items() if name.startswith(start))


def shortest(work, inputs):
    """The shortest time of one call, as the benchmark measures its own; compiling is not counted."""
    jax.block_until_ready(work(*inputs))
    start, best = time.perf_counter(), float("inf")
    while best == float("inf") or time.perf_counter() - start < SECONDS:
        sample = time.perf_counter()
        jax.block_until_ready(work(*inputs))
        best = min(best, time.perf_counter() - sample)
    return best


def read(kind, extents, path):
    numbers = np.fromfile(path, dtype={"f64": "<f8", "i32": "<i4"}[kind])
    return jax.device_put(numbers.reshape([int(extent) for extent in extents.split(",")]))


def answer(name, output, *inputs):
    inputs = [read(*inputs[at : at + 3]) for at in range(0, len(inputs), 3)]
    works = [jax.jit(work) for work in spellings(name)]
    best = min(shortest(work, inputs) for work in works)
    np.asarray(works[0](*inputs)).ravel().astype("<f8").tofile(output)
    return f"{best:e}"


for line in sys.stdin:
    try:
        said = answer(*line.rstrip("\n").split("\t"))
    except Exception as problem:  # what it is, the benchmark tells
        said = f"- {problem!r}".replace("\n", " ")
    print(said, flush=True)
