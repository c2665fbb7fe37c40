//! Operators of folds, taken apart: components that do not depend on each other are combined by themselves.
//!
//! So a component whose part of the operator is a primitive runs in the loops of that, whatever else the fold
//! combines, and gives the bits that it gives alone.

use super::bug;
use super::combine::{Accumulator, Column, Combiner, OperatorCode, combine_part, store_as};
use super::fold::store;
use super::folder::Folder;
use super::products::Terms;
use crate::few::Few;
use crate::isa::{Isa, Target};
use crate::lanes::Moving;
use crate::lanes::{FoldFns, ProductFns, product_fns};
use crate::machine::Env;
use crate::machine::failure::FailureCell;
use crate::memory::OutRef;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::schedule::{Operator, OperatorPart};
use cotangent_core::types::ScalarType;

/// The operator of a fold, made ready to run.
#[derive(Debug)]
pub(crate) struct OperatorParts {
    parts: Vec<Part>,
    /// The types of what is combined.
    pub types: Vec<ScalarType>,
    /// The types of states.
    pub states: Vec<ScalarType>,
}

/// A part of an operator.
#[derive(Debug)]
struct Part {
    /// The components it combines.
    components: Vec<usize>,
    code: OperatorCode,
}

impl OperatorParts {
    /// Compiles an operator; `None` where a primitive does not fit its operands.
    pub fn new(target: Target, operator: &Operator) -> Option<Self> {
        let types = operator.types();
        let parts = operator.parts().into_iter().map(|part| {
            let OperatorPart {
                components,
                operator,
            } = part;
            let code = OperatorCode::new(target, &operator)?;
            Some(Part { components, code })
        });
        let parts: Vec<Part> = parts.collect::<Option<_>>()?;
        let mut states = types.clone();
        for part in &parts {
            for (&component, &ty) in part.components.iter().zip(&part.code.states) {
                states[component] = ty;
            }
        }
        Some(Self {
            types,
            states,
            parts,
        })
    }

    /// Whether a part has loops of its own.
    pub fn has_loops(&self) -> bool {
        self.parts.iter().any(Part::has_loops)
    }

    /// Whether all parts do.
    pub fn has_only_loops(&self) -> bool {
        self.parts.iter().all(Part::has_loops)
    }

    /// The components that have loops, and these.
    pub fn loops(&self) -> Vec<(usize, FoldFns)> {
        let first = |part: &Part| part.components.first().copied().zip(part.code.fns);
        self.parts.iter().filter_map(first).collect()
    }

    /// Whether some states are of other types than values.
    pub fn is_wide(&self) -> bool {
        self.states != self.types
    }

    /// Makes the states of a component values, in arrays that are apart.
    ///
    /// # Errors
    /// Where the component has no loops, which components with states of their own have.
    pub fn round(
        &self,
        component: usize,
        states: &OutRef,
        values: &OutRef,
    ) -> Result<(), RunError> {
        let fns = self.loops_of(component)?;
        let len = states.len().min(values.len());
        // SAFETY: both arrays have `len` elements, the states without gaps, and nobody else uses them meanwhile.
        unsafe { store_as(fns.unload, states, values, 0..len) };
        Ok(())
    }

    /// Makes the values of a component states, in another array; neither has gaps.
    ///
    /// # Errors
    /// As of [`round`](Self::round).
    pub fn widen(
        &self,
        component: usize,
        values: &OutRef,
        states: &OutRef,
    ) -> Result<(), RunError> {
        let fns = self.loops_of(component)?;
        let len = states.len().min(values.len());
        let pointers = values.direct(0, 1).zip(states.direct(0, 1));
        let (from, to) = pointers.ok_or_else(|| bug("contributions have gaps"))?;
        let from = from.cast_const();
        // SAFETY: both arrays have `len` elements without gaps, and nobody else uses them meanwhile.
        unsafe { (fns.load)(len as usize, to, from, from, from) };
        Ok(())
    }

    /// The loops for the results that are given as products.
    pub(super) fn products(&self, isa: Isa, terms: &Terms) -> Vec<Option<ProductFns>> {
        let fns = |(is_product, &ty): (bool, &ScalarType)| {
            let fns = product_fns(isa, ty, false);
            fns.filter(|_| is_product)
        };
        terms.are_products().zip(&self.types).map(fns).collect()
    }

    fn loops_of(&self, component: usize) -> Result<FoldFns, RunError> {
        let own = |part: &&Part| part.components == [component];
        let part = self.parts.iter().find(own);
        let fns = part.and_then(|part| part.code.fns);
        fns.ok_or_else(|| bug("a wide sum has no loops"))
    }

    /// The columns that running it needs besides its operands.
    pub fn registers(&self) -> usize {
        let each = self.parts.iter().map(|part| part.code.registers());
        each.max().unwrap_or(0)
    }

    /// What machines of this operator know, of which all together combine values of the given extents.
    pub fn env<'a>(
        &self,
        symbols: &'a [Const],
        extents: &'a [i64],
        failure: &'a FailureCell,
    ) -> Env<'a> {
        OperatorCode::env(symbols, extents, failure)
    }
}

impl Part {
    fn has_loops(&self) -> bool {
        self.code.fns.is_some()
    }
}

/// `left = left ∘ right`, element by element, for arrays without gaps, one per component: states, and values or states.
pub(crate) fn combine_arrays(
    operator: &OperatorParts,
    symbols: &[Const],
    left: &[OutRef],
    right: &[OutRef],
) {
    for Part { components, code } in &operator.parts {
        let own =
            |arrays: &[OutRef]| -> Few<OutRef> { components.iter().map(|&c| arrays[c]).collect() };
        combine_part(code, symbols, &own(left), &own(right));
    }
}

/// For each lane, what has been combined so far.
pub(super) struct Accumulators<'a> {
    parts: Vec<AccumulatedPart<'a>>,
}

struct AccumulatedPart<'a> {
    components: &'a [usize],
    combiner: Combiner<'a>,
    acc: Accumulator,
    values: Vec<Column>,
}

impl<'a> Accumulators<'a> {
    /// Nothing yet, of all components.
    pub fn new(operator: &'a OperatorParts, env: &'a Env<'a>, lanes: usize) -> Self {
        Self::of(&operator.parts, env, lanes)
    }

    /// Nothing yet, of the components that have no loops.
    pub fn without_loops(operator: &'a OperatorParts, env: &'a Env<'a>, lanes: usize) -> Self {
        let parts = operator.parts.iter().filter(|part| !part.has_loops());
        Self::of(parts, env, lanes)
    }

    fn of(parts: impl IntoIterator<Item = &'a Part>, env: &'a Env<'a>, lanes: usize) -> Self {
        let part = |part: &'a Part| AccumulatedPart {
            components: &part.components,
            combiner: Combiner::new(&part.code, env, lanes),
            acc: Accumulator::new(&part.code, lanes),
            values: vec![],
        };
        Self {
            parts: parts.into_iter().map(part).collect(),
        }
    }

    /// The components.
    pub fn components(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|part| part.components).copied()
    }

    /// Starts anew, from initial values if there are any.
    pub fn start(&mut self, init: Option<&[Const]>, n: usize) {
        for part in &mut self.parts {
            let own = init.map(|init| part.components.iter().map(|&c| init[c]));
            let own = own.map(|own| part.combiner.operator.states_of(own));
            part.acc.start(own, n);
        }
    }

    /// Combines with what comes next.
    ///
    /// # Safety
    /// For each of the components there is a column at its position, of its type and at least `n` lanes.
    pub unsafe fn push<P: Into<Column> + Copy>(&mut self, n: usize, right: &[P]) {
        for part in &mut self.parts {
            part.take(right);
            // SAFETY: the values are the columns of this part's components, each of its type and `n` lanes.
            unsafe { part.acc.push(&mut part.combiner, n, &part.values) }
        }
    }

    /// Combines with states that come next.
    ///
    /// # Safety
    /// For each of the components there is a column at its position, of its state's type and at least `n` lanes.
    pub unsafe fn join<P: Into<Column> + Copy>(&mut self, n: usize, right: &[P]) {
        for part in &mut self.parts {
            part.take(right);
            // SAFETY: the values are the columns of this part's components, which have a lane for each state.
            unsafe { part.acc.join(&mut part.combiner, n, &part.values) }
        }
    }

    /// Combines the only component with products of a column and a column or scalar.
    ///
    /// # Safety
    /// As for [`Accumulator::push_product`].
    pub unsafe fn push_product(&mut self, fns: &ProductFns, n: usize, factors: [*const u8; 2]) {
        for part in &mut self.parts {
            // SAFETY: there is one component, and so one part, whose type is that of the factors; columns have `n`
            // lanes.
            unsafe { part.acc.push_product(fns, n, factors) }
        }
    }

    /// Combines the only component with the products at several steps.
    ///
    /// # Safety
    /// As for [`Accumulator::push_steps`].
    pub unsafe fn push_steps(
        &mut self,
        fns: &ProductFns,
        n: usize,
        steps: i64,
        factors: [Moving; 2],
    ) {
        for part in &mut self.parts {
            // SAFETY: there is one component, and so one part, whose type is that of the factors; columns have `n`
            // lanes at every step.
            unsafe { part.acc.push_steps(fns, n, steps, factors) }
        }
    }

    /// Stores the values at positions that the calling task owns.
    pub fn store(&self, outputs: &[OutRef], position: i64, lane: i64, n: usize) {
        for part in &self.parts {
            for (own, &c) in part.components.iter().enumerate() {
                let operator = part.combiner.operator;
                let column = part.acc.column(operator, own, outputs[c].ty(), n);
                store(&outputs[c..=c], &[column], position, lane, n);
            }
        }
    }
}

impl AccumulatedPart<'_> {
    /// Takes note of the columns of the part's components.
    fn take<P: Into<Column> + Copy>(&mut self, columns: &[P]) {
        self.values.clear();
        let own = self.components.iter().map(|&c| columns[c].into());
        self.values.extend(own);
    }
}

/// Folds columns to single values, a unit (such as a row) at a time, for all components.
pub(super) struct Folders<'a> {
    parts: Vec<FoldedPart<'a>>,
}

struct FoldedPart<'a> {
    components: &'a [usize],
    combiner: Combiner<'a>,
    folder: Folder<'a>,
    /// The total and what comes before it.
    whole: Accumulator,
    values: Vec<*const u8>,
}

impl<'a> Folders<'a> {
    /// For blocks of up to `lanes` lanes.
    pub fn new(operator: &'a OperatorParts, env: &'a Env<'a>, lanes: usize) -> Self {
        let part = |part: &'a Part| FoldedPart {
            components: &part.components,
            combiner: Combiner::new(&part.code, env, lanes),
            folder: Folder::new(&part.code, env),
            whole: Accumulator::new(&part.code, 1),
            values: vec![],
        };
        Self {
            parts: operator.parts.iter().map(part).collect(),
        }
    }

    /// Starts anew, from nothing.
    pub fn start(&mut self) {
        for part in &mut self.parts {
            part.folder.total.start(None, 1);
        }
    }

    /// Begins a unit of a length.
    pub fn begin_unit(&mut self, length: i64) {
        for part in &mut self.parts {
            part.folder.begin_unit(length);
        }
    }

    /// Takes the next block of a unit, where the components with loops in `products`, which may be empty, are given as two factors.
    ///
    /// # Safety
    /// There is one column per component, or two of factors one after the other, of its type and at least `n` ≥ 1 lanes. Blocks but
    /// the last of a unit have a multiple of 16 lanes.
    pub unsafe fn block(
        &mut self,
        products: &[Option<ProductFns>],
        n: usize,
        columns: &[*const u8],
    ) {
        let first = |c: usize| c + products.iter().take(c).flatten().count();
        for part in &mut self.parts {
            let at = first(part.components[0]);
            if let Some(Some(fns)) = products.get(part.components[0]) {
                let (ty, factors) = (
                    part.combiner.operator.types[0],
                    [columns[at], columns[at + 1]],
                );
                // SAFETY: a product is a component by itself; both factors have `n` ≥ 1 lanes.
                unsafe { part.folder.product_block(fns, ty, n, factors) }
                continue;
            }
            part.values.clear();
            let own = part.components.iter().map(|&c| columns[first(c)]);
            part.values.extend(own);
            // SAFETY: the values are the columns of this part's components, of `n` ≥ 1 lanes, a multiple of 16 but
            // at the end of a unit.
            unsafe { part.folder.block(&mut part.combiner, n, &part.values) }
        }
    }

    /// Takes the next block of a unit, of products, for the only component.
    ///
    /// # Safety
    /// As for [`Folder::product_block`].
    pub unsafe fn product_block(
        &mut self,
        fns: &ProductFns,
        ty: ScalarType,
        n: usize,
        factors: [*const u8; 2],
    ) {
        for part in &mut self.parts {
            // SAFETY: there is one component, and so one part, of type `ty`; columns have `n` ≥ 1 lanes.
            unsafe { part.folder.product_block(fns, ty, n, factors) }
        }
    }

    /// Ends a unit: its values join the totals.
    pub fn end_unit(&mut self) {
        for part in &mut self.parts {
            part.folder.end_unit(&mut part.combiner);
        }
    }

    /// Stores the totals, after initial values if there are any, at a position that the calling task owns.
    pub fn store(&mut self, init: Option<&[Const]>, outputs: &[OutRef], position: i64) {
        for part in &mut self.parts {
            let operator = part.combiner.operator;
            let mut total = &part.folder.total;
            if let Some(init) = init {
                let own = part.components.iter().map(|&c| init[c]);
                part.whole.start(Some(operator.states_of(own)), 1);
                // SAFETY: the total has one lane.
                unsafe { part.whole.join(&mut part.combiner, 1, &total.columns) }
                total = &part.whole;
            }
            for (own, &c) in part.components.iter().enumerate() {
                let column = total.column(operator, own, outputs[c].ty(), 1);
                store(&outputs[c..=c], &[column], position, 1, 1);
            }
        }
    }
}
