"""Predictions by the nearest examples."""

import jax.numpy as jnp
from jax import lax


def predict(x, y, points):
    """For each point the mean of the targets y of those three examples in x that are nearest to it."""
    distances = jnp.linalg.norm(points[:, None] - x, axis=-1)
    _, nearest = lax.top_k(-distances, 3)
    return jnp.mean(y[nearest], axis=1)
