//! Tests on whatever device there is; without one they say so and pass.
