//! How the source of an element follows from its target: coordinate by coordinate.
//!
//! What holds of an element that is sent gives equations between the coordinates of its source and those of
//! its target. One in which a single unknown is left, by itself or negated, gives that unknown: sums are
//! modulo 2³², so there is exactly one solution. One with two unknowns is solved where they are row
//! and column of a packed triangle. Where nothing else is left, a coordinate that is clamped gives its unknown but for
//! the ends of the array, where there are several sources ([`clamped`](super::clamped)).

use super::clamped::Border;
use super::triangle::{self, Triangle};
use crate::analysis::index_map::IndexMap;
use crate::analysis::index_map::clamp::Clamp;
use crate::analysis::polynomial::{Atom, Poly, Rounding};
use crate::analysis::shape::{Shapes, Size};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ExpId, Fun, Labelled};
use crate::types::ScalarType;

/// How to compute a source.
pub(super) struct Plan {
    /// In this order.
    pub steps: Vec<Step>,
    /// The coordinates of the target that were not used.
    pub compared: Vec<usize>,
}

/// What gives coordinates of the source.
pub(super) enum Step {
    /// One follows from an equation.
    Linear(Linear),
    /// Two follow from the target's coordinate at `place`.
    Triangle { place: usize, triangle: Triangle },
    /// One is any of some candidates.
    Clamped(Border),
}

/// The coordinate at position `param` is the target's at `place`, or 0 where the condition says so, less `rest`;
/// or the negative of that.
pub(super) struct Linear {
    param: usize,
    place: Option<usize>,
    negated: bool,
    rest: Poly,
}

impl Linear {
    /// Whether the coordinate is that of the target at the same position.
    pub fn is_identity(&self) -> bool {
        self.place == Some(self.param) && !self.negated && self.rest.as_constant() == Some(0)
    }

    /// Pushes code that finds the coordinate of what is at `place`.
    pub fn solve(&self, code: &mut Code<'_>, place: &[ExpId]) {
        let rest = code.poly(&self.rest);
        let given = match self.place {
            Some(k) => place[k],
            None => code.b.constant(0),
        };
        let operands = match self.negated {
            true => [rest, given],
            false => [given, rest],
        };
        code.source[self.param] = code.b.prim(Prim::Sub, &operands);
    }
}

/// An equation: the value at the target's position, or 0, is the polynomial.
type Equation<'a> = (Option<usize>, &'a Poly);

impl Plan {
    /// A plan for sources of the given extents; none if some coordinate does not follow.
    pub fn of(index_map: &IndexMap, source: &[Size], shapes: &Shapes) -> Option<Self> {
        let mut search = Search {
            index_map,
            extents: source.iter().map(|&s| Poly::of_size(shapes, s)).collect(),
            known: vec![false; source.len()],
            used: vec![false; index_map.coordinates.len()],
            steps: vec![],
        };
        while search.known.contains(&false) {
            let step = search.linear().or_else(|| search.triangle());
            let step = step.or_else(|| search.clamped())?;
            search.take(step);
        }
        let places = 0..search.used.len();
        Some(Self {
            compared: places.filter(|&k| !search.used[k]).collect(),
            steps: search.steps,
        })
    }

    /// What the rule is counted as.
    pub fn rule(&self) -> &'static str {
        let has = |wanted: fn(&Step) -> bool| self.steps.iter().any(wanted);
        if has(|step| matches!(step, Step::Clamped(_))) {
            "permute_clamped"
        } else if has(|step| matches!(step, Step::Triangle { .. })) {
            "permute_triangle"
        } else if has(|step| matches!(step, Step::Linear(Linear { place: None, .. }))) {
            "permute_diagonal"
        } else {
            "permute_to_gather"
        }
    }

    /// The coordinates that have several candidates.
    pub fn borders(&self) -> impl Iterator<Item = &Border> {
        self.steps.iter().filter_map(|step| match step {
            Step::Clamped(border) => Some(border),
            Step::Linear(_) | Step::Triangle { .. } => None,
        })
    }
}

struct Search<'a> {
    index_map: &'a IndexMap,
    extents: Vec<Poly>,
    known: Vec<bool>,
    used: Vec<bool>,
    steps: Vec<Step>,
}

impl<'a> Search<'a> {
    /// Coordinates that have not been used, and what is 0.
    fn equations(&self) -> impl Iterator<Item = Equation<'a>> {
        let coordinates = self.index_map.coordinates.iter().enumerate();
        let open = coordinates.filter(|(k, _)| !self.used[*k]);
        let places = open.filter_map(|(k, poly)| Some((Some(k), poly.as_ref()?)));
        places.chain(self.index_map.zeros.iter().map(|poly| (None, poly)))
    }

    fn unknowns(&self, poly: &Poly) -> Vec<usize> {
        let open = (0..self.known.len()).filter(|&p| !self.known[p]);
        open.filter(|&p| poly.mentions(p)).collect()
    }

    fn linear(&self) -> Option<Step> {
        self.equations().find_map(|(place, poly)| {
            let &[param] = &self.unknowns(poly)[..] else {
                return None;
            };
            let unknown = Poly::atom(Atom::Param(param));
            let coefficient = poly.coefficient(&[Atom::Param(param)]);
            let rest = poly.minus(&unknown.times(coefficient));
            let alone = coefficient.unsigned_abs() == 1 && !rest.mentions(param);
            let linear = Linear {
                param,
                place,
                negated: coefficient == -1,
                rest,
            };
            alone.then_some(Step::Linear(linear))
        })
    }

    fn triangle(&self) -> Option<Step> {
        self.equations().find_map(|(place, poly)| {
            let &[first, second] = &self.unknowns(poly)[..] else {
                return None;
            };
            let extent = &self.extents[first];
            let square = *extent == self.extents[second];
            let find = |(greater, less)| {
                let distance = self.distance(greater, less)?;
                triangle::recognise(poly, greater, less, distance, extent)
            };
            let pairs = [(first, second), (second, first)];
            let triangle = pairs.into_iter().find_map(find).filter(|_| square)?;
            Some(Step::Triangle {
                place: place?,
                triangle,
            })
        })
    }

    /// By how much the one coordinate exceeds the other wherever elements are sent, if at all.
    fn distance(&self, greater: usize, less: usize) -> Option<i32> {
        let difference = Poly::atom(Atom::Param(greater)).minus(&Poly::atom(Atom::Param(less)));
        let known = self.index_map.nonnegative.iter();
        let distances = known.filter_map(|p| difference.minus(p).as_constant());
        let least = distances.max()?;
        // Where they are at least c apart, but not c, it is more.
        let gap = difference.minus(&Poly::constant(least));
        let mut nonzeros = self.index_map.nonzeros.iter();
        let open = nonzeros.any(|p| *p == gap || *p == gap.times(-1));
        Some(least + i32::from(open))
    }

    /// The first unknown that a clamp gives.
    fn clamped(&self) -> Option<Step> {
        let clamps = self.index_map.clamps.iter().enumerate();
        let open = clamps.filter(|(k, _)| !self.used[*k]);
        let open: Vec<_> = open.filter_map(|(k, c)| Some((k, c.as_ref()?))).collect();
        (0..self.known.len()).find_map(|param| {
            let extent = &self.extents[param];
            let mut own = open
                .iter()
                .filter(|(_, clamp)| self.unknowns(&clamp.inner) == [param]);
            let border = |k, clamp: &Clamp| Border::of(clamp, k, param, extent);
            let turned = |k, clamp: &Clamp| border(k, &clamp.turned()?);
            own.find_map(|&(k, clamp)| border(k, clamp).or_else(|| turned(k, clamp)))
                .map(Step::Clamped)
        })
    }

    fn take(&mut self, step: Step) {
        let (params, place) = match &step {
            Step::Clamped(border) => (vec![border.param], Some(border.place)),
            Step::Linear(linear) => (vec![linear.param], linear.place),
            Step::Triangle { place, triangle } => (triangle.params().to_vec(), Some(*place)),
        };
        params.into_iter().for_each(|p| self.known[p] = true);
        place.into_iter().for_each(|k| self.used[k] = true);
        self.steps.push(step);
    }
}

/// Code that computes a source, under construction.
pub(super) struct Code<'a> {
    /// Where it is pushed.
    pub b: &'a mut FunBuilder,
    /// The coordinates found so far; the others are 0.
    pub source: Vec<ExpId>,
    /// The type to estimate in.
    pub float: ScalarType,
    target: &'a Fun<Labelled>,
    shapes: &'a Shapes,
}

impl<'a> Code<'a> {
    /// Code about the sources of a target function, of the given coordinates so far.
    pub fn new(
        b: &'a mut FunBuilder,
        target: &'a Fun<Labelled>,
        shapes: &'a Shapes,
        float: ScalarType,
        source: Vec<ExpId>,
    ) -> Self {
        Self {
            b,
            source,
            float,
            target,
            shapes,
        }
    }

    /// The value of a polynomial in the source's coordinates.
    pub fn poly(&mut self, poly: &Poly) -> ExpId {
        let mut sum = self.b.constant(0);
        for (product, coefficient) in poly.terms() {
            let mut value = self.b.constant(coefficient.wrapping_abs());
            for atom in product {
                let factor = self.atom(atom);
                value = self.b.prim(Prim::Mul, &[value, factor]);
            }
            let negative = coefficient < 0 && coefficient != i32::MIN;
            let op = if negative { Prim::Sub } else { Prim::Add };
            sum = self.b.prim(op, &[sum, value]);
        }
        sum
    }

    fn atom(&mut self, atom: &Atom) -> ExpId {
        match atom {
            Atom::Param(p) => self.source[*p],
            Atom::Size(size) => self.shapes.emit(self.b, *size),
            Atom::Uniform(x) => self.uniform(*x),
            Atom::Half(rounding, inner) => {
                let inner = self.poly(inner);
                let two = self.b.constant(2);
                let op = match rounding {
                    Rounding::Zero => Prim::Quot,
                    Rounding::Down => Prim::DivFloor,
                };
                self.b.prim(op, &[inner, two])
            }
        }
    }

    /// A variable of the target function that depends on none of its parameters.
    fn uniform(&mut self, x: ExpId) -> ExpId {
        let mut only = self.target.clone();
        only.body.results = vec![x];
        let mut counts = Default::default();
        let only = crate::simplify::simplify_fun(only, &mut counts);
        let params = vec![self.b.constant(Const::I32(0)); only.params.len()];
        self.b.inline(&only, &params)[0]
    }
}
