"""The Mandelbrot set."""

import jax.numpy as jnp
from jax import lax


def mandelbrot(c):
    """How many of fifty points of the sequence z^2 + c lie within the circle of radius 2."""

    def step(_, state):
        z, n = state
        return z * z + c, n + (jnp.abs(z) < 2)

    return lax.fori_loop(0, 50, step, (c, jnp.zeros(c.shape, int)))[1]
