"""The Hessian of Rosenbrock's function times a vector."""

import jax
import jax.numpy as jnp


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def product(x, v):
    """The Hessian at x times v."""
    return jax.jvp(jax.grad(rosenbrock), (x,), (v,))[1]
