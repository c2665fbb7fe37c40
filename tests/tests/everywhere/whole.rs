//! Arrays of whole numbers, for oracles.

/// Extents, the outermost one first, and elements in that order.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    pub extents: Vec<usize>,
    pub elements: Vec<i64>,
}

impl Whole {
    pub fn new(extents: &[usize], elements: Vec<i64>) -> Self {
        assert_eq!(extents.iter().product::<usize>(), elements.len());
        Self {
            extents: extents.to_vec(),
            elements,
        }
    }

    pub fn number(x: i64) -> Self {
        Self::new(&[], vec![x])
    }

    pub fn vector(elements: Vec<i64>) -> Self {
        Self::new(&[elements.len()], elements)
    }

    /// The array of what `f` makes of each index.
    pub fn generate(extents: &[usize], mut f: impl FnMut(&[usize]) -> i64) -> Self {
        let size = extents.iter().product();
        let elements = (0..size).map(|at| f(&index(extents, at)));
        Self::new(extents, elements.collect())
    }

    pub fn at(&self, index: &[usize]) -> i64 {
        let place = |at, (&i, &n): (&usize, &usize)| at * n + i;
        self.elements[index.iter().zip(&self.extents).fold(0, place)]
    }

    pub fn map(&self, f: impl Fn(i64) -> i64) -> Self {
        let elements = self.elements.iter().map(|&x| f(x)).collect();
        Self::new(&self.extents, elements)
    }

    pub fn zip_with(&self, other: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        let pairs = self.elements.iter().zip(&other.elements);
        let elements = pairs.map(|(&x, &y)| f(x, y)).collect();
        Self::new(&self.extents, elements)
    }

    /// The array of what `f` makes of each row; without rows, as of a row of zeros.
    pub fn each_row(&self, f: impl Fn(&[i64]) -> Vec<i64>) -> Self {
        let (&inner, outer) = self.extents.split_last().unwrap();
        let made: Vec<_> = self.rows().map(&f).collect();
        let length = made
            .first()
            .map_or_else(|| f(&vec![0; inner]).len(), Vec::len);
        Self::new(&[outer, &[length]].concat(), made.concat())
    }

    /// The array of the number that `f` makes of each row.
    pub fn fold(&self, f: impl Fn(&[i64]) -> i64) -> Self {
        let outer = &self.extents[..self.extents.len() - 1];
        Self::new(outer, self.rows().map(f).collect())
    }

    fn rows(&self) -> impl Iterator<Item = &[i64]> {
        let (&inner, outer) = self.extents.split_last().unwrap();
        let rows = outer.iter().product::<usize>();
        (0..rows).map(move |row| &self.elements[row * inner..(row + 1) * inner])
    }
}

/// The index of the element at a place.
fn index(extents: &[usize], mut at: usize) -> Vec<usize> {
    let mut index: Vec<usize> = extents
        .iter()
        .rev()
        .map(|n| {
            let i = at % n;
            at /= n;
            i
        })
        .collect();
    index.reverse();
    index
}
