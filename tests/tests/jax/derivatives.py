"""Values, gradients and Hessians of functions of a vector, by JAX: what tests/tests/it/jax.rs compares with.

Usage: derivatives.py > derivatives.json, with what requirements.txt names. Gradients are in reverse mode, but of loops that end by a
test, which JAX differentiates in forward mode only. Functions have the names of their counterparts.
"""

import json
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import linalg, special

jax.config.update("jax_enable_x64", True)

POINT = [0.52, -1.06, 0.26, 1.53, 0.77, -0.33]
WEIGHTS = jnp.cos(jnp.arange(6.0))
COUNTED = jnp.array([[1.0, 2.0], [3.0, 4.0]])
PROGRAMS = []
FORWARD = set()


def program(f):
    PROGRAMS.append(f)
    return f


def forward(f):
    FORWARD.add(f.__name__)
    return program(f)


@program
def log_sum_exp(v):
    m = jnp.max(v)
    return m + jnp.log(jnp.sum(jnp.exp(v - m)))


@program
def softmax(v):
    return jnp.sum(jax.nn.softmax(v) * WEIGHTS)


@program
def product(v):
    return jnp.prod(v)


@program
def running_products(v):
    return jnp.sum(jnp.cumprod(v) * WEIGHTS)


@program
def running_maxima(v):
    return jnp.sum(lax.cummax(v) * v)


def after(f, g):
    return f[0] * g[0], f[0] * g[1] + f[1]


@program
def affine_maps(v):
    a, b = lax.associative_scan(after, (v, jnp.sin(v)))
    return jnp.sum(a * WEIGHTS + b)


@program
def affine_maps_from_the_right(v):
    # The operands of a reversed scan are exchanged, too.
    a, b = lax.associative_scan(lambda x, y: after(y, x), (v, jnp.sin(v)), reverse=True)
    return jnp.sum(a * WEIGHTS + b)


@program
def matrix_products(v):
    matrices = [jnp.array([[x, 1.0], [-0.5, x * x]]) for x in v]
    return jnp.sum(reduce(jnp.matmul, matrices) * COUNTED)


@program
def scattered_sums(v):
    sums = jnp.ones(3).at[jnp.array([0, 2, 1, 0, 2, 2])].add(v)
    return jnp.sum(sums**3)


@program
def scattered_products(v):
    # JAX has no derivative where places are repeated.
    products = v.at[jnp.array([4, 2, 5])].multiply(jnp.sin(v[:3]), unique_indices=True)
    return jnp.sum(products**2)


@program
def scattered_elements(v):
    return jnp.prod((v * v).at[jnp.array([3, 1, 0])].set(jnp.sin(v[:3])))


@program
def gathered(v):
    return jnp.sum(v[jnp.array([5, 0, 0, 3, 2, 5])] * v * WEIGHTS)


@program
def in_order(v):
    return jnp.sum(jnp.sort(v) * WEIGHTS * v)


@program
def greatest(v):
    return jnp.sum(lax.top_k(v, 3)[0] ** 3)


@program
def loop_of_arrays(v):
    step = lambda _, x: jnp.sin(x) * 1.1 + 0.1 * jnp.roll(x, 1) * v
    return jnp.sum(lax.fori_loop(0, 5, step, v) * WEIGHTS)


@program
def loop_with_updates(v):
    step = lambda i, x: x.at[i + 1].set(x[i + 1] + x[i] * jnp.sin(x[i]))
    return jnp.sum(lax.fori_loop(0, 5, step, v) ** 2)


@program
def nested_loops(v):
    inner = lambda i, k, x: x.at[k].add(0.3 * jnp.cos(x[i]) * x[k])
    step = lambda i, x: lax.fori_loop(0, 3, partial(inner, i), x)
    return jnp.sum(lax.fori_loop(0, 5, step, v) ** 2)


@program
def recurrent(v):
    def step(state, x):
        h, c = state
        h = jnp.tanh(0.5 * h + x)
        c = c * jax.nn.sigmoid(x) + h
        return (h, c), h * c

    (h, c), outputs = lax.scan(step, (0.1, 0.2), v)
    return h * c + jnp.sum(outputs * WEIGHTS)


@forward
def loop_with_a_test(v):
    a = jnp.sum(v * v) + 1.0
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-14, lambda x: (x + a / x) / 2, a) ** 3


@forward
def loops_of_elements(v):
    def root(x):
        a = x * x + 1.0
        return lax.while_loop(lambda y: jnp.abs(y * y * y - a) > 1e-14, lambda y: y - (y - a / (y * y)) / 3, a)

    return jnp.sum(jax.vmap(root)(v) * WEIGHTS)


@program
def branches(v):
    signs = jnp.where(v > 0, v * v, jnp.sin(v))
    return lax.cond(jnp.sum(v) > 1.0, lambda: jnp.sum(signs * v), lambda: jnp.sum(v))


@program
def stencil(v):
    second = jnp.roll(v, 1) - 2.0 * v + jnp.roll(v, -1)
    return jnp.sum(second**2 * v)


@program
def segments(v):
    sums = jax.ops.segment_sum(v, jnp.array([0, 0, 2, 2, 2, 3]), 4)
    return jnp.sum(sums**3)


@program
def contraction(v):
    a, b = v.reshape(2, 3), jnp.sin(v).reshape(3, 2)
    return jnp.einsum("ij,jk,ik->", a, b, COUNTED)


def square(v):
    return v[:4].reshape(2, 2) + 2.0 * jnp.eye(2)


@program
def solution(v):
    return jnp.sum(jnp.linalg.solve(square(v), v[4:]) ** 3)


@program
def inverse(v):
    return jnp.sum(jnp.linalg.inv(square(v)) * COUNTED)


@program
def cholesky(v):
    b = v.reshape(2, 3)
    return jnp.sum(jnp.linalg.cholesky(b @ b.T + jnp.eye(2)) * COUNTED)


@program
def determinants(v):
    sign, log = jnp.linalg.slogdet(square(v))
    return jnp.linalg.det(square(v)) * v[4] + sign * log * v[5]


@program
def orthogonal(v):
    q, r = jnp.linalg.qr(v.reshape(3, 2))
    signs = jnp.sign(jnp.diagonal(r))
    weights = WEIGHTS.reshape(3, 2)
    return jnp.sum(q * signs * weights) + jnp.sum(r * signs[:, None] * COUNTED)


@program
def triangles(v):
    _, l, u = linalg.lu(square(v))
    return jnp.sum(l * COUNTED) + jnp.sum(u * u * COUNTED)


@program
def special_functions(v):
    return jnp.sum(special.erf(v) * WEIGHTS) + jnp.sum(special.gammaln(v + 3) * special.digamma(v + 4))


@program
def elementary_functions(v):
    w = jnp.roll(v, 1)
    powers = (jnp.abs(v) + 1.0) ** w
    return jnp.sum(jnp.arctan2(v, w) + jnp.expm1(v) * jnp.log1p(v * v) + jnp.tanh(w) * powers + jnp.hypot(v, w))


@program
def complex_functions(v):
    z = v[:3] + 1j * v[3:]
    w = jnp.exp(z) * jnp.conj(z) + jnp.sqrt(z) / (z + 2.0)
    return jnp.sum(jnp.real(w) * jnp.imag(w)) + jnp.sum(jnp.abs(z) * jnp.angle(z))


@jax.custom_jvp
def rounded(x):
    return jnp.round(x)


@rounded.defjvp
def _(primals, tangents):
    return rounded(*primals), 3.0 * primals[0] * tangents[0]


@program
def rule_for_tangents(v):
    return jnp.sum(rounded(2.0 * v) * v)


@jax.custom_vjp
def bent(x):
    return x * x


bent.defvjp(lambda x: (bent(x), x), lambda x, dy: (dy * jnp.sin(x),))


@program
def rule_for_cotangents(v):
    return jnp.sum(bent(v) * v * WEIGHTS)


@program
def constants(v):
    return jnp.sum(lax.stop_gradient(v) * v * v)


@program
def derivatives_within(v):
    f = lambda u: jnp.sum(jnp.sin(u) * v * jnp.roll(u, 1))
    return jnp.sum(jax.grad(f)(v) ** 2) + jnp.vdot(jax.hessian(f)(v) @ WEIGHTS, v)


@program
def derivatives_of_elements(v):
    f = lambda x, y: jnp.exp(x) * y * y
    return jnp.sum(jax.vmap(jax.grad(f), (0, None))(v, v[0]) * WEIGHTS)


def differentiated(f):
    if f.__name__ in FORWARD:
        return jax.jacfwd(f), jax.jacfwd(jax.jacfwd(f))
    return jax.grad(f), jax.jacrev(jax.grad(f))


def main():
    point = jnp.array(POINT)
    results = []
    for f in PROGRAMS:
        gradient, hessian = differentiated(f)
        found = {
            "value": float(f(point)),
            "gradient": gradient(point).tolist(),
            "hessian": hessian(point).tolist(),
        }
        results.append(f"  {json.dumps(f.__name__)}: {json.dumps(found)}")
    head = f'"jax": {json.dumps(jax.__version__)},\n "point": {json.dumps(POINT)}'
    print("{" + head + ',\n "results": {\n' + ",\n".join(results) + "\n }\n}")


main()
