//! ADBench's rule of agreement.

/// |x − y| / max(1, |x| + |y|); infinite where just one of the two is not a number.
pub fn difference(x: f64, y: f64) -> f64 {
    if x == y || (x.is_nan() && y.is_nan()) {
        return 0.0;
    }
    let difference = (x - y).abs() / (x.abs() + y.abs()).max(1.0);
    if difference.is_nan() {
        f64::INFINITY
    } else {
        difference
    }
}

/// The largest [`difference`] of corresponding elements; infinite where the numbers of elements differ.
pub fn max_difference(
    xs: impl ExactSizeIterator<Item = f64>,
    ys: impl ExactSizeIterator<Item = f64>,
) -> f64 {
    if xs.len() != ys.len() {
        return f64::INFINITY;
    }
    xs.zip(ys)
        .map(|(x, y)| difference(x, y))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        assert_eq!(difference(3.0, 1.0), 0.5);
        assert_eq!(difference(0.25, 0.0), 0.25);
        assert_eq!(difference(f64::NAN, 1.0), f64::INFINITY);
        assert_eq!(difference(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(
            max_difference([1.0].into_iter(), [1.0, 2.0].into_iter()),
            f64::INFINITY
        );
    }
}
