//! A picture whose greys are made equally frequent, by their histogram.

use cotangent::prelude::*;

/// The picture, whose greys are from 0 to 255, with such greys.
pub fn equalize(picture: Matrix<i32>) -> Matrix<i32> {
    picture.histogram(256).cumsum().gather(picture) * 255 / picture.size()
}
