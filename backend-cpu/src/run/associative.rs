//! Tries whether the operators of folds and scans are associative, on values that they have just combined.
//!
//! The values are elements of rows and partial results of neighbours, the initial value being the first of all, or
//! the last where a scan goes from the right; they are computed once more, on the host. Which are tried depends on
//! the extents alone, so that the same run fails each time. `core` says what counts as a violation.

use super::state::State;
use crate::kernel::KernelCode;
use crate::machine::coords::{product, unrank};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::schedule::associative::{Suspect, Violation};
use cotangent_core::schedule::drive::Point;
use cotangent_core::schedule::scalar;
use cotangent_core::schedule::{Body, KernelKind, Operator, Output, SiteId, SymbolId, ValueId};
use cotangent_core::term::Direction;

/// How many triples are tried at each launch of an operator that is not known to be associative.
const TRIPLES: u64 = 16;
/// Of how many neighbours the three values of a triple are combined, in turn; in rows that are shorter, the first one
/// of all but two.
const LENGTHS: [[i64; 3]; 8] = [
    [1, 1, 1],
    [2, 1, 1],
    [1, 1, 3],
    [1, 1, 1],
    [5, 2, 1],
    [1, 8, 1],
    [32, 1, 1],
    [12, 12, 12],
];

impl State<'_> {
    /// Tries the operator of a kernel that has run, from other initial values than its own if they are given.
    pub(super) fn try_operator(
        &self,
        code: &KernelCode,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let Some(suspect) = &code.suspect else {
            return Ok(());
        };
        let init = init.map(<[Const]>::to_vec);
        let init = init.or_else(|| code.init(&self.store.symbols));
        let Some(combined) = Combined::of(self, code, init) else {
            return Ok(());
        };
        let mut triples = (0..TRIPLES).filter_map(|number| combined.triple(number));
        let violation = triples.find_map(|triple| combined.violation(suspect, &triple));
        match violation {
            Some((site, violation)) => Err(RunError::NotAssociative {
                site: self.store.site(site),
                violation: Box::new(violation),
            }),
            None => Ok(()),
        }
    }
}

/// The sequences that a kernel combines.
struct Combined<'a> {
    state: &'a State<'a>,
    body: &'a Body,
    operator: &'a Operator,
    outputs: &'a [Output],
    init: Option<Vec<Const>>,
    direction: Direction,
    /// The extents of the space, and of what is combined.
    space: Vec<i64>,
    inner: Vec<i64>,
    rows: i64,
    /// The number of elements of each row.
    elements: i64,
}

impl<'a> Combined<'a> {
    /// None where nothing is combined.
    fn of(state: &'a State, code: &'a KernelCode, init: Option<Vec<Const>>) -> Option<Self> {
        let kernel = &code.kernel;
        let (operator, direction) = match &kernel.kind {
            KernelKind::Reduce { operator, .. } => (operator, Direction::Left),
            KernelKind::Scan {
                operator,
                direction,
                ..
            } => (operator, *direction),
            KernelKind::Map { .. } | KernelKind::Contract { .. } | KernelKind::Scatter { .. } => {
                return None;
            }
            KernelKind::Segments { .. } | KernelKind::Sort { .. } => return None,
        };
        let mut space = code.extents(&state.store.symbols);
        let inner = space.split_off(kernel.space.len());
        let (rows, elements) = (product(&space)?, product(&inner)?);
        (rows > 0 && elements > 0).then_some(Self {
            state,
            body: kernel.body(),
            operator,
            outputs: kernel.outputs(),
            init,
            direction,
            space,
            inner,
            rows,
            elements,
        })
    }

    /// A triple of neighbours; none where rows are too short.
    fn triple(&self, number: u64) -> Option<[Vec<Const>; 3]> {
        let mut lengths = LENGTHS[number as usize % LENGTHS.len()];
        let len = self.elements + i64::from(self.init.is_some());
        if lengths.iter().sum::<i64>() > len {
            lengths = [(len - 2).max(1), 1, 1];
        }
        let last = len - lengths.iter().sum::<i64>();
        if last < 0 {
            return None;
        }
        let [row, mut start] = match number {
            // Where initial values are.
            0 | 1 => [0, 0],
            2 | 3 => [self.rows - 1, last],
            4.. => [
                scattered(2 * number, self.rows),
                scattered(2 * number + 1, last + 1),
            ],
        };
        let mut partial = |len: i64| {
            let combined = self.partial(row, start, len);
            start += len;
            combined
        };
        let [a, b, c] = lengths;
        Some([partial(a)?, partial(b)?, partial(c)?])
    }

    /// What so many neighbours of a row are combined to.
    fn partial(&self, row: i64, start: i64, len: i64) -> Option<Vec<Const>> {
        let mut values = (start..start + len).map(|position| self.value(row, position));
        let first = values.next()??;
        values.try_fold(first, |x, y| self.combine(x, y?))
    }

    fn combine(&self, x: Vec<Const>, y: Vec<Const>) -> Option<Vec<Const>> {
        let point = Point {
            engine: self.state,
            coords: &[],
            args: &[x, y].concat(),
        };
        self.evaluated(&self.operator.body, &point, &self.operator.results)
    }

    /// A value of a row, initial ones included.
    fn value(&self, row: i64, position: i64) -> Option<Vec<Const>> {
        let position = match (&self.init, self.direction) {
            (Some(init), Direction::Left) if position == 0 => return Some(init.clone()),
            (Some(init), Direction::Right) if position == self.elements => {
                return Some(init.clone());
            }
            (Some(_), Direction::Left) => position - 1,
            (Some(_), Direction::Right) | (None, _) => position,
        };
        let mut coords = vec![0; self.space.len() + self.inner.len()];
        let (outer, inner) = coords.split_at_mut(self.space.len());
        unrank(row, &self.space, outer);
        unrank(position, &self.inner, inner);
        let coords: Vec<_> = coords.into_iter().map(|c| c as i32).collect();
        let point = Point {
            engine: self.state,
            coords: &coords,
            args: &[],
        };
        let values: Vec<_> = self.outputs.iter().map(|output| output.value).collect();
        self.evaluated(self.body, &point, &values)
    }

    /// Some values of code; none where it fails, which the kernel would have done.
    fn evaluated(
        &self,
        body: &Body,
        point: &Point<'_, State<'_>>,
        wanted: &[ValueId],
    ) -> Option<Vec<Const>> {
        let values = scalar::eval(body, point).ok()?;
        Some(wanted.iter().map(|v| values[v.index()]).collect())
    }

    /// What is wrong with a triple, and where that was written.
    fn violation(
        &self,
        suspect: &Suspect,
        triple: &[Vec<Const>; 3],
    ) -> Option<(SiteId, Violation)> {
        let symbol = |s: SymbolId| self.state.store.symbol(s);
        let violation = suspect.violation(&symbol, triple)?;
        // Of folds that share a kernel, each has results of its own.
        let component = violation.components.first()?;
        let array = self.outputs.get(*component)?.array;
        let site = self.state.store.decl(array).site;
        Some((site, violation))
    }
}

/// A number below `bound` that looks random, and is the same each time.
fn scattered(number: u64, bound: i64) -> i64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29) % bound.unsigned_abs()) as i64
}
