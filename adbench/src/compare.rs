//! Comparison with references: ADBench's rule of agreement, and the verdict on all results of a task.
//!
//! Nothing agrees with what is not a number: a NaN or an infinity, in the results or in the reference, is a
//! difference, also where both have it.

use std::fmt::Display;

/// |x − y| / max(1, |x| + |y|); infinite where either is not a finite number.
pub fn difference(x: f64, y: f64) -> f64 {
    if !(x.is_finite() && y.is_finite()) {
        return f64::INFINITY;
    }
    // Halved, so that sums of the largest numbers do not overflow.
    let (x, y) = (0.5 * x, 0.5 * y);
    (x - y).abs() / (x.abs() + y.abs()).max(0.5)
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

/// What came of comparing results with a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The [`difference`] of the number that used most of its tolerance; infinite where something is not a number.
    pub max_error: f64,
    /// The tolerance of that number.
    pub tolerance: f64,
    /// Why the results do not agree; nothing where they do.
    pub reason: Option<String>,
}

impl Verdict {
    /// Before anything was compared, with the tolerance to report if nothing is.
    pub fn new(tolerance: f64) -> Self {
        Self {
            max_error: 0.0,
            tolerance,
            reason: None,
        }
    }

    /// Whether all that was compared agrees.
    pub fn passed(&self) -> bool {
        self.reason.is_none()
    }

    /// The results do not agree; the first reason is the one that is kept.
    pub fn fail(&mut self, max_error: f64, reason: impl Into<String>) {
        self.max_error = self.max_error.max(max_error);
        self.reason.get_or_insert_with(|| reason.into());
    }

    /// A result that is not compared with anything must be a number.
    pub fn finite(&mut self, what: impl Display, found: f64) {
        if !found.is_finite() {
            self.fail(f64::INFINITY, format!("{what} is {found}"));
        }
    }

    /// A result, what the reference has for it, and how far they may be apart.
    pub fn number(&mut self, what: impl Display, found: f64, expected: f64, tolerance: f64) {
        self.finite(&what, found);
        self.finite(format_args!("{what} of the reference"), expected);
        let error = difference(found, expected);
        if error.is_finite() && error * self.tolerance > self.max_error * tolerance {
            (self.max_error, self.tolerance) = (error, tolerance);
        }
        let agrees = error <= tolerance;
        if !agrees {
            let reason = format!("{what} is {found:e}, the reference has {expected:e}");
            self.fail(error, reason);
        }
    }

    /// Numbers in a row, all with one tolerance.
    pub fn numbers(
        &mut self,
        what: &str,
        found: &[f64],
        expected: impl Iterator<Item = f64>,
        tolerance: f64,
    ) {
        self.bounded(what, found, expected.map(|expected| (expected, tolerance)));
    }

    /// Numbers in a row, each with what the reference has for it and its tolerance.
    pub fn bounded(
        &mut self,
        what: &str,
        found: &[f64],
        expected: impl Iterator<Item = (f64, f64)>,
    ) {
        let mut compared = 0;
        for (position, (expected, tolerance)) in expected.enumerate() {
            compared += 1;
            if let Some(&found) = found.get(position) {
                let what = Element { what, position };
                self.number(what, found, expected, tolerance);
            }
        }
        if compared != found.len() {
            let reason = format!(
                "{what} has {} values, the reference {compared}",
                found.len()
            );
            self.fail(f64::INFINITY, reason);
        }
    }
}

/// One of several values.
struct Element<'a> {
    what: &'a str,
    position: usize,
}

impl Display for Element<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "value {} of {}", self.position, self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        assert_eq!(difference(3.0, 1.0), 0.5);
        assert_eq!(difference(0.25, 0.0), 0.25);
        assert_eq!(difference(f64::MAX, -f64::MAX), 1.0);
        assert_eq!(difference(f64::MAX, f64::MAX), 0.0);
        assert_eq!(
            max_difference([1.0].into_iter(), [1.0, 2.0].into_iter()),
            f64::INFINITY
        );
    }

    #[test]
    fn nothing_agrees_with_what_is_no_number() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (x, y) in [(bad, 1.0), (1.0, bad), (bad, bad)] {
                assert_eq!(difference(x, y), f64::INFINITY);
                let mut verdict = Verdict::new(1e-8);
                verdict.numbers(
                    "the gradient",
                    &[0.0, x],
                    [0.0, y].into_iter(),
                    f64::INFINITY,
                );
                assert_eq!(verdict.max_error, f64::INFINITY);
                let place = "value 1 of the gradient";
                let reason = match x.is_finite() {
                    true => format!("{place} of the reference is {y}"),
                    false => format!("{place} is {x}"),
                };
                assert_eq!(verdict.reason, Some(reason));
            }
        }
    }

    #[test]
    fn the_number_closest_to_its_tolerance_is_reported() {
        let mut verdict = Verdict::new(1.0);
        let expected = [(1.0, 1e-1), (1.0, 1e-3), (1.0, 1e-2)];
        verdict.bounded("x", &[1.02, 1.0005, 1.002], expected.into_iter());
        assert!(verdict.passed());
        assert_eq!(verdict.tolerance, 1e-3);
        assert!((verdict.max_error - 2.5e-4).abs() < 1e-6);
        verdict.number("y", 1.0, 2.0, 1e-3);
        assert!(!verdict.passed());
        let reason = verdict.reason.unwrap();
        assert_eq!(reason, "y is 1e0, the reference has 2e0");
    }

    #[test]
    fn missing_and_superfluous_values_are_differences() {
        for expected in [vec![], vec![1.0], vec![1.0; 3]] {
            let mut verdict = Verdict::new(1.0);
            verdict.numbers("x", &[1.0; 2], expected.into_iter(), 1.0);
            assert!(verdict.reason.unwrap().starts_with("x has 2 values"));
        }
    }
}
