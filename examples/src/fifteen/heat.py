"""Heat in a plate that loses none at its border."""

import jax.numpy as jnp
from jax import lax


def heat(plate):
    """The temperatures after a hundred steps."""

    def step(_, u):
        p = jnp.pad(u, 1, mode="edge")
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        return u + 0.2 * (around - 4 * u)

    return lax.fori_loop(0, 100, step, plate)
