"""The product of a sparse matrix and a vector."""

import jax
import jax.numpy as jnp


def product(starts, columns, values, x):
    """starts says where the entries of each row begin, and where the last one's end."""
    row = jnp.searchsorted(starts, jnp.arange(len(values)), side="right") - 1
    return jax.ops.segment_sum(values * x[columns], row, len(starts) - 1)
