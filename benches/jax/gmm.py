"""GMM by JAX, as one who wants speed writes it: objective and gradient as matrix products.

The products are spelled in several ways, of which the fastest counts: which that is depends on the sizes.

Usage: gmm.py [--device cpu|gpu] [--precision f32|f64] INPUT OUTPUT THREADS SECONDS, by default on the CPU in f64.
INPUT holds little-endian f64 as benches/src/peer.rs writes them: d, K, n, gamma, m, the constant term, alphas[K],
means[K, d], icf[K, d(d+1)/2], x[n, d]. OUTPUT receives the gradient as f64, in the order of the parameters; standard
output the seconds of objective and gradient, each the shortest of what fits into SECONDS for each spelling; standard
error what it ran with. On a GPU, arrays stay there.
"""

import argparse
import os
import sys
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--precision", choices=["f32", "f64"], default="f64")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("threads", type=int)
    parser.add_argument("seconds", type=float)
    return parser.parse_args()


OPTIONS = arguments()

# XLA makes as many threads as there are processors that this process may use: to be said before it starts.
if OPTIONS.device == "cpu":
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[: OPTIONS.threads])

import jax  # noqa: E402

if OPTIONS.device == "cpu":
    jax.config.update("jax_platforms", "cpu")
elif all(device.platform != "gpu" for device in jax.devices()):
    sys.exit("this JAX finds no GPU")
else:
    # Products of f32 are of f32, not of what has fewer digits.
    jax.config.update("jax_default_matmul_precision", "highest")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


def read(path):
    numbers = np.fromfile(path, dtype="<f8")
    d, k, n = (int(size) for size in numbers[:3])
    # Numbers of Python take the type of the arrays that they meet.
    prior = tuple(float(number) for number in numbers[3:6])
    dtype = {"f32": np.float32, "f64": np.float64}[OPTIONS.precision]
    lengths = [k, k * d, k * d * (d + 1) // 2, n * d]
    alphas, means, icf, x = np.split(numbers[6:].astype(dtype), np.cumsum(lengths)[:-1])
    parameters = alphas, means.reshape(k, d), icf.reshape(k, -1)
    return parameters, x.reshape(n, d), prior


def centred(factors, means, x):
    """Q (x - mean): for each component a product with points moved to its mean."""
    y = jnp.einsum("kij,knj->kni", factors, x[None, :, :] - means[:, None, :])
    return jnp.sum(y * y, axis=2)


def moved(factors, means, x):
    """Q x - Q mean: for each component a product with the same points, moved afterwards."""
    y = jnp.einsum("kij,nj->kni", factors, x) - jnp.einsum("kij,kj->ki", factors, means)[:, None]
    return jnp.sum(y * y, axis=2)


def stacked(factors, means, x):
    """Q x - Q mean: one product of all points with all factors."""
    k, d, _ = factors.shape
    y = (x @ factors.reshape(k * d, d).T).reshape(-1, k, d)
    y = y - jnp.einsum("kij,kj->ki", factors, means)[None, :, :]
    return jnp.sum(y * y, axis=2).T


def make_objective(squares_of, d, prior):
    gamma, m, constant = prior
    # The strictly lower triangle lies column by column in an icf.
    columns, rows = np.triu_indices(d, 1)

    def objective(parameters, x):
        alphas, means, icf = parameters
        q, l = icf[:, :d], icf[:, d:]
        q_exp = jnp.exp(q)
        below = jnp.zeros((icf.shape[0], d, d), icf.dtype).at[:, rows, columns].set(l, unique_indices=True)
        factors = below + q_exp[:, :, None] * jnp.eye(d, dtype=icf.dtype)
        beta = (alphas + q.sum(1))[:, None] - 0.5 * squares_of(factors, means, x)
        likelihood = jax.nn.logsumexp(beta, axis=0).sum()
        fit = likelihood - x.shape[0] * jax.nn.logsumexp(alphas)
        squares = jnp.sum(q_exp * q_exp) + jnp.sum(l * l)
        return constant + fit + 0.5 * gamma * gamma * squares - m * q.sum()

    return objective


def shortest(work, *arguments):
    """The shortest time of one call, as the benchmark measures its own; compiling is not counted."""
    jax.block_until_ready(work(*arguments))
    start, best = time.perf_counter(), float("inf")
    while best == float("inf") or time.perf_counter() - start < OPTIONS.seconds:
        sample = time.perf_counter()
        jax.block_until_ready(work(*arguments))
        best = min(best, time.perf_counter() - sample)
    return best


def allocator():
    with open("/proc/self/maps") as maps:
        if "jemalloc" in maps.read():
            return "jemalloc"
    tunables = os.environ.get("GLIBC_TUNABLES", "none")
    return f"no jemalloc; the C library's, with GLIBC_TUNABLES {tunables}"


def place():
    if OPTIONS.device == "gpu":
        return jax.devices()[0].device_kind
    return f"processors: {len(os.sched_getaffinity(0))}, {allocator()}"


def main():
    parameters, x, prior = read(OPTIONS.input)
    parameters, x = jax.device_put((parameters, x))
    primals, derivatives = [], []
    for spelling in centred, moved, stacked:
        objective = make_objective(spelling, x.shape[1], prior)
        primals.append((shortest(jax.jit(objective), parameters, x), spelling.__name__))
        gradient = jax.jit(jax.grad(objective))
        derivatives.append((shortest(gradient, parameters, x), spelling.__name__))
    flat = [np.asarray(part).ravel() for part in gradient(parameters, x)]
    np.concatenate(flat).astype("<f8").tofile(OPTIONS.output)
    (primal, first), (derivative, second) = min(primals), min(derivatives)
    print(f"{primal:e} {derivative:e}")
    print(f"jax {jax.__version__}, {place()}; objective {first}, gradient {second}", file=sys.stderr)


main()
