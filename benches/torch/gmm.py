"""GMM by PyTorch, as one who wants speed writes it: objective and gradient as matrix products.

The products are spelled in several ways, each run as it stands and compiled by torch.compile, where that works; the
fastest counts.

Usage: gmm.py [--device cpu|gpu] [--precision f32|f64] INPUT OUTPUT THREADS SECONDS. INPUT holds little-endian f64 as
benches/src/peer.rs writes them: d, K, n, gamma, m, the constant term, alphas[K], means[K, d], icf[K, d(d+1)/2],
x[n, d]. OUTPUT receives the gradient as f64, in the order of the parameters; standard output the seconds of objective
and gradient, each the shortest of what fits into SECONDS for each spelling; standard error what it ran with.
"""

import argparse
import sys
import time

import numpy as np
import torch


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--precision", choices=["f32", "f64"], default="f64")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("threads", type=int)
    parser.add_argument("seconds", type=float)
    return parser.parse_args()


def read(path):
    numbers = np.fromfile(path, dtype="<f8")
    d, k, n = (int(size) for size in numbers[:3])
    prior = tuple(float(number) for number in numbers[3:6])
    lengths = [k, k * d, k * d * (d + 1) // 2, n * d]
    alphas, means, icf, x = np.split(numbers[6:], np.cumsum(lengths)[:-1])
    parameters = alphas, means.reshape(k, d), icf.reshape(k, -1)
    return parameters, x.reshape(n, d), prior


def centred(factors, means, x):
    """Q (x - mean): for each component a product with points moved to its mean."""
    y = torch.einsum("kij,knj->kni", factors, x[None, :, :] - means[:, None, :])
    return (y * y).sum(2)


def moved(factors, means, x):
    """Q x - Q mean: for each component a product with the same points, moved afterwards."""
    y = torch.einsum("kij,nj->kni", factors, x) - torch.einsum("kij,kj->ki", factors, means)[:, None]
    return (y * y).sum(2)


def stacked(factors, means, x):
    """Q x - Q mean: one product of all points with all factors."""
    k, d, _ = factors.shape
    y = (x @ factors.reshape(k * d, d).T).reshape(-1, k, d)
    y = y - torch.einsum("kij,kj->ki", factors, means)[None, :, :]
    return (y * y).sum(2).T


def make_objective(squares_of, x, prior):
    gamma, m, constant = prior
    d = x.shape[1]
    # The strictly lower triangle lies column by column in an icf.
    columns, rows = torch.triu_indices(d, d, 1, device=x.device)
    eye = torch.eye(d, dtype=x.dtype, device=x.device)

    def objective(alphas, means, icf):
        q, l = icf[:, :d], icf[:, d:]
        q_exp = torch.exp(q)
        below = torch.zeros(icf.shape[0], d, d, dtype=x.dtype, device=x.device)
        below[:, rows, columns] = l
        factors = below + q_exp[:, :, None] * eye
        beta = (alphas + q.sum(1))[:, None] - 0.5 * squares_of(factors, means, x)
        likelihood = torch.logsumexp(beta, 0).sum()
        fit = likelihood - x.shape[0] * torch.logsumexp(alphas, 0)
        squares = (q_exp * q_exp).sum() + (l * l).sum()
        return constant + fit + 0.5 * gamma * gamma * squares - m * q.sum()

    return objective


def make_gradient(objective):
    def gradient(*parameters):
        return torch.autograd.grad(objective(*parameters), parameters)

    return gradient


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def shortest(work, parameters, device, seconds):
    """The shortest time of one call, as the benchmark measures its own; compiling is not counted."""
    work(*parameters)
    synchronize(device)
    start, best = time.perf_counter(), float("inf")
    while best == float("inf") or time.perf_counter() - start < seconds:
        sample = time.perf_counter()
        work(*parameters)
        synchronize(device)
        best = min(best, time.perf_counter() - sample)
    return best


def compiled(objective, parameters):
    """The objective compiled, or None where that does not work, which depends on the compilers that there are."""
    try:
        function = torch.compile(objective)
        make_gradient(function)(*parameters)
        return function
    except Exception as error:
        print(f"torch.compile does not work: {type(error).__name__}", file=sys.stderr)
        return None


def main():
    options = arguments()
    if options.device == "gpu" and not torch.cuda.is_available():
        sys.exit("this PyTorch finds no GPU")
    torch.set_num_threads(options.threads)
    # Products of f32 are of f32, not of what has fewer digits.
    torch.set_float32_matmul_precision("highest")
    device = torch.device("cuda" if options.device == "gpu" else "cpu")
    dtype = {"f32": torch.float32, "f64": torch.float64}[options.precision]
    parameters, x, prior = read(options.input)
    parameters = tuple(torch.tensor(p, dtype=dtype, device=device, requires_grad=True) for p in parameters)
    x = torch.tensor(x, dtype=dtype, device=device)
    primals, derivatives = [], []

    def measure(function, name):
        with torch.no_grad():
            primals.append((shortest(function, parameters, device, options.seconds), name))
        gradient = make_gradient(function)
        derivatives.append((shortest(gradient, parameters, device, options.seconds), name))

    for spelling in centred, moved, stacked:
        objective = make_objective(spelling, x, prior)
        measure(objective, spelling.__name__)
        faster = compiled(objective, parameters)
        if faster is not None:
            measure(faster, f"{spelling.__name__}, compiled")
    gradient = make_gradient(objective)(*parameters)
    flat = [part.detach().cpu().numpy().ravel() for part in gradient]
    np.concatenate(flat).astype("<f8").tofile(options.output)
    (primal, first), (derivative, second) = min(primals), min(derivatives)
    print(f"{primal:e} {derivative:e}")
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"torch {torch.__version__}, {where}; objective {first}, gradient {second}", file=sys.stderr)


main()
