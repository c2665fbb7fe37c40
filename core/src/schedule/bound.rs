//! What is known of the factors and the results of a contraction besides their values: where they are zero, and
//! where nobody looks.
//!
//! Triangles and bands are sets of [`Bound`]s. A factor is zero wherever one of its bounds does not hold; a
//! backend may leave such products out if the other factor is finite there, since they add nothing. (A sum of
//! zeros may then have either sign.) That is about sums of products: in other semirings a zero is a number like
//! others, and nothing is said about factors. Results outside of the bounds of [`Structure::needed`] are read by nobody:
//! they may be anything, and the reference runner makes them NaN, so that a wrong analysis shows; it also
//! verifies the zeros.

use std::fmt::{self, Display, Formatter};

/// `coordinate above − coordinate below ≥ least`, for two coordinates of a kernel; those of the inner space follow
/// those of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The coordinate that is not smaller.
    pub above: u32,
    /// The other one.
    pub below: u32,
    /// By how much it differs at least.
    pub least: i64,
}

impl Bound {
    /// `coordinate above − coordinate below ≥ least`.
    pub fn new(above: u32, below: u32, least: i64) -> Self {
        Self {
            above,
            below,
            least,
        }
    }

    /// Whether it holds at a point.
    pub fn holds(&self, coords: &[i32]) -> bool {
        let at = |axis: u32| i64::from(coords[axis as usize]);
        at(self.above) - at(self.below) >= self.least
    }

    /// The two coordinates.
    pub fn axes(&self) -> [u32; 2] {
        [self.above, self.below]
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            above,
            below,
            least,
        } = self;
        match least {
            0 => write!(f, "coord {above} >= coord {below}"),
            1.. => write!(f, "coord {above} >= coord {below} + {least}"),
            ..0 => write!(
                f,
                "coord {above} >= coord {below} - {}",
                least.unsigned_abs()
            ),
        }
    }
}

/// The structure of a contraction; nothing is known by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Outside of any of these, the left factor of a product is zero. About coordinates it may depend on.
    pub left: Vec<Bound>,
    /// The same of the right factor.
    pub right: Vec<Bound>,
    /// Outside of any of these, nobody reads the results. About coordinates of the space.
    pub needed: Vec<Bound>,
}

impl Structure {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// All bounds.
    pub fn all(&self) -> impl Iterator<Item = &Bound> {
        self.left.iter().chain(&self.right).chain(&self.needed)
    }

    /// What is known, each in words.
    pub fn in_words(&self) -> Vec<String> {
        let facts = [
            ("left is zero unless", &self.left),
            ("right is zero unless", &self.right),
            ("not needed unless", &self.needed),
        ];
        let facts = facts
            .iter()
            .flat_map(|(what, bounds)| bounds.iter().map(move |b| (what, b)));
        facts
            .map(|(what, bound)| format!("{what} {bound}"))
            .collect()
    }

    /// Whether somebody may read the result at a point of the space.
    pub fn is_needed(&self, coords: &[i32]) -> bool {
        self.needed.iter().all(|bound| bound.holds(coords))
    }
}
