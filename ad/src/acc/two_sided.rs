//! Folds by operators that have no rule of their own and read nothing active: by what is before and after each element.
//!
//! The operator is associative, so the result is (pᵢ ∘ xᵢ) ∘ sᵢ, where pᵢ is all that precedes element xᵢ and sᵢ all that follows it.
//! What the element receives is the dual of these two steps alone, with pᵢ and sᵢ as constants. They are a scan from the left and one
//! from the right, by the operator itself: of as many columns as the fold has, where the [recurrence](super::coupled) of the adjoints
//! takes matrices, of k² + k columns.

use super::recurrence::{Combined, shifted};
use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::trim;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// A fold of those columns that its needed results depend on, or of all.
struct TwoSided {
    f: Fun<Labelled>,
    init: Option<Fun<Labelled>>,
    args: Vec<Arr>,
    /// The states before elements; where there is no `init`, after them.
    before: Vec<Arr>,
    /// What elements, and all that follow them, give.
    after: Vec<Arr>,
}

impl Reverse<'_> {
    /// The dual of a fold for those of its results that `adjoints` has any of; gives its states, if it needs those of all columns.
    pub(super) fn two_sided(
        &mut self,
        of: &Combined,
        adjoints: &[Option<Arr>],
    ) -> Result<Option<Vec<Arr>>, AdError> {
        let wanted: Vec<bool> = adjoints.iter().map(Option::is_some).collect();
        // Of arrays that differ in shape, all have a say in how many elements there are.
        let alike = of.args.iter().all(|&arg| self.shapes.same(arg, of.args[0]));
        let columns = match alike {
            true => of.depended(wanted, |_| true),
            false => (0..of.args.len()).collect(),
        };
        let adjoints: Vec<Option<Arr>> = columns.iter().map(|&at| adjoints[at].clone()).collect();
        let (f, init, args) = of.restricted(&columns);
        let args = self.arrays(&args)?;
        let has_all = columns.len() == of.args.len();
        let before = match has_all {
            true => self.fold_states(of.f, of.init, &args),
            false => (self.b).scan(Direction::Left, f.clone(), init.clone(), &args),
        };
        let states = has_all.then(|| before.clone());
        let after = self.b.scan(Direction::Right, f.clone(), None, &args);
        let fold = TwoSided {
            f,
            init,
            args,
            before,
            after,
        };
        fold.contribute_elements(self, &adjoints)?;
        fold.contribute_init(self, &adjoints)?;
        Ok(states)
    }
}

impl Combined<'_> {
    /// The operator, initial values and arrays of some columns, which depend on no others.
    fn restricted(&self, columns: &[usize]) -> (Fun<Labelled>, Option<Fun<Labelled>>, Vec<ArrId>) {
        let width = self.args.len();
        let chosen = |fun: &Fun<Labelled>| {
            let mut fun = fun.clone();
            fun.body.results = columns.iter().map(|&at| fun.body.results[at]).collect();
            trim(fun)
        };
        let mut f = chosen(self.f);
        let operands = columns.iter().chain(columns).enumerate();
        let params = operands.map(|(i, at)| f.params[at + width * (i / columns.len())].clone());
        f.params = params.collect();
        let args = columns.iter().map(|&at| self.args[at]).collect();
        (f, self.init.map(chosen), args)
    }
}

impl TwoSided {
    fn rank(&self) -> usize {
        self.after[0].ty.rank
    }

    fn contribute_elements(
        &self,
        reverse: &mut Reverse,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let shape = || Fun::shape_of(&self.after[0]);
        let mut spread = vec![];
        for adjoint in adjoints {
            spread.push(adjoint.as_ref().map(|d| {
                let mut b = FunBuilder::new();
                let index = b.params(&vec![ScalarType::I32; self.rank()]);
                let d = b.index(d, &index[..self.rank() - 1]);
                reverse.b.generate(shape(), b.finish(vec![d])).remove(0)
            }));
        }
        reverse.b.open();
        let results = reverse.b.generate(shape(), self.around_element());
        let block = reverse.b.close(&results);
        reverse.through(block, &spread)
    }

    /// From the index of an element to the result of the fold, as the element makes it.
    fn around_element(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let elements: Vec<ExpId> = self.args.iter().map(|arg| b.index(arg, &index)).collect();
        let state = match &self.init {
            Some(_) => self.step(&mut b, &at(&self.before, &index), &elements),
            None => {
                let previous = shifted(&mut b, &index, -1);
                let zero = b.constant(0i32);
                let is_first = b.prim(Prim::Lt, &[previous[self.rank() - 1], zero]);
                b.cond(
                    is_first,
                    |_| elements.clone(),
                    |b| self.step(b, &at(&self.before, &previous), &elements),
                )
            }
        };
        let next = shifted(&mut b, &index, 1);
        let n = b.extent(self.after[0].name, self.rank() - 1);
        let is_last = b.prim(Prim::Ge, &[next[self.rank() - 1], n]);
        let results = b.cond(
            is_last,
            |_| state.clone(),
            |b| {
                let after = at(&self.after, &next)(b);
                let operands = [state.clone(), after].concat();
                b.inline(&self.f, &operands)
            },
        );
        b.finish(results)
    }

    /// What the operator makes of a state and elements.
    fn step(
        &self,
        b: &mut FunBuilder,
        state: &dyn Fn(&mut FunBuilder) -> Vec<ExpId>,
        elements: &[ExpId],
    ) -> Vec<ExpId> {
        let operands = [state(b), elements.to_vec()].concat();
        b.inline(&self.f, &operands)
    }

    /// Contributes to what the initial values are made of, if that is active: they stand before all elements.
    fn contribute_init(
        &self,
        reverse: &mut Reverse,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let Some(init) = &self.init else {
            return Ok(());
        };
        if !reverse.activity.results(init, &[]).contains(&true) {
            return Ok(());
        }
        reverse.b.open();
        let first = reverse.b.generate(Fun::constants(&[]), init.clone());
        let results = reverse.b.generate(self.rows(), self.around_first(&first));
        let block = reverse.b.close(&results);
        reverse.through(block, adjoints)
    }

    /// The extents of all dimensions but the inner one.
    fn rows(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let extents = 0..self.rank() - 1;
        let extents = extents.map(|axis| b.extent(self.after[0].name, axis));
        let extents = extents.collect();
        b.finish(extents)
    }

    /// From the index of a row to the result of its fold, as the initial values make it.
    fn around_first(&self, first: &[Arr]) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let mut index = b.params(&vec![ScalarType::I32; self.rank() - 1]);
        let first = at(first, &[])(&mut b);
        let (zero, n) = (
            b.constant(0i32),
            b.extent(self.after[0].name, self.rank() - 1),
        );
        let is_empty = b.prim(Prim::Eq, &[n, zero]);
        index.push(zero);
        let results = b.cond(
            is_empty,
            |_| first.clone(),
            |b| {
                let operands = [first.clone(), at(&self.after, &index)(b)].concat();
                b.inline(&self.f, &operands)
            },
        );
        b.finish(results)
    }
}

/// The elements of arrays at an index.
fn at<'a>(arrays: &'a [Arr], index: &'a [ExpId]) -> impl Fn(&mut FunBuilder) -> Vec<ExpId> + 'a {
    move |b| arrays.iter().map(|array| b.index(array, index)).collect()
}
