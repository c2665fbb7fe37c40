//! A summed-area table, by prefix sums.

use cotangent::prelude::*;

/// For each place of a picture the sum of what is above and left of it.
pub fn table(picture: Matrix) -> Matrix {
    picture.cumsum().transpose().cumsum().transpose()
}
