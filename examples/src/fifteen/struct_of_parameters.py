"""Poisson regression by gradient descent, with its parameters in a named tuple."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Model(NamedTuple):
    weights: jax.Array
    bias: jax.Array


def loss(model, x, y):
    z = x @ model.weights + model.bias
    return jnp.mean(jnp.exp(z) - y * z)


def fit(model, x, y):
    """The model after a hundred steps, for examples x with counts y."""

    def step(_, model):
        gradient = jax.grad(loss)(model, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, model, gradient)

    return lax.fori_loop(0, 100, step, model)
