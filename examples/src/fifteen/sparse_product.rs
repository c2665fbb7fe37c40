//! The product of a sparse matrix and a vector.

use cotangent::prelude::*;

/// `starts` says where the entries of each row begin, and where the last one's end.
pub fn product(starts: Vector<i32>, columns: Vector<i32>, values: Vector, x: Vector) -> Vector {
    (values * x.gather(columns)).sum_segments(starts.tail() - starts.init())
}
