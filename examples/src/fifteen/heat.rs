//! Heat in a plate that loses none at its border.

use cotangent::prelude::*;

/// The temperatures after a hundred steps.
pub fn heat(plate: Matrix) -> Matrix {
    aiterate(
        100,
        |_, u| {
            u.windows(
                Boundary::Clamp,
                |[[_, up, _], [left, here, right], [_, down, _]]| {
                    here + 0.2 * (up + down + left + right - 4 * here)
                },
            )
        },
        plate,
    )
}
