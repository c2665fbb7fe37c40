//! Arrays that are made in one dimension and reshaped to several, as Jacobians are: `generate` takes the position apart by quotients and
//! remainders, and what they give are the coordinates.

use super::super::Rewriter;
use super::function::of_result;
use crate::analysis::shape::{Shapes, Size, SizeNode};
use crate::build::FunBuilder;
use crate::prim::Prim;
use crate::term::{AccOp, ArrId, ExpBind, ExpId, ExpLet, ExpOp, Fun, Labelled};
use crate::types::ScalarType;
use std::collections::HashMap;

impl Rewriter<'_> {
    /// A `generate` that is reshaped from one dimension, as one that is given the coordinates.
    ///
    /// The extents are factors of the one that there is. Positions are `i32`: an array of more elements has none for them.
    pub(super) fn reshape_generate(
        &mut self,
        shape: &Fun<Labelled>,
        arg: ArrId,
    ) -> Option<AccOp<Labelled>> {
        let sizes = self.facts.shapes.of_function(shape);
        let sizes: Vec<Size> = sizes.into_iter().collect::<Option<_>>()?;
        let &[whole] = self.facts.shapes.sizes(arg)? else {
            return None;
        };
        let mut factors = self.product(whole);
        factors.sort();
        let mut extents = sizes.clone();
        extents.sort();
        if factors != extents {
            return None;
        }
        let (f, column) = self.generated(arg)?;
        let f = Coordinates::of(&of_result(f, column), &sizes, &self.facts.shapes)?;
        let shape = shape.clone();
        self.fired("reshape_generate", AccOp::Generate { shape, f })
    }

    /// The factors of a size.
    fn product(&self, size: Size) -> Vec<Size> {
        match self.facts.shapes.node(size) {
            SizeNode::Prim(Prim::Mul, operands) => operands
                .iter()
                .flat_map(|&size| self.product(size))
                .collect(),
            SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => vec![size],
        }
    }
}

/// Takes a position apart.
struct Coordinates<'a> {
    f: &'a Fun<Labelled>,
    sizes: &'a [Size],
    shapes: &'a Shapes,
    /// The variables that are positions in a space of so many of the outer dimensions.
    positions: HashMap<ExpId, usize>,
    /// The variables that are extents.
    extents: HashMap<ExpId, Size>,
    /// The variables that are coordinates.
    coordinates: HashMap<ExpId, usize>,
}

impl<'a> Coordinates<'a> {
    /// The function of a position as one of coordinates, if it makes nothing else of the position.
    fn of(f: &'a Fun<Labelled>, sizes: &'a [Size], shapes: &'a Shapes) -> Option<Fun<Labelled>> {
        let mut taken = Self {
            f,
            sizes,
            shapes,
            positions: HashMap::from([(f.params[0].name, sizes.len())]),
            extents: HashMap::new(),
            coordinates: HashMap::new(),
        };
        f.body.all_lets().for_each(|let_| taken.let_(let_));
        taken.function()
    }

    fn let_(&mut self, let_: &ExpLet<Labelled>) {
        match &let_.op {
            ExpOp::Extent { array, axis } => {
                let sizes = self.shapes.sizes(self.f.captures[array.0 as usize]);
                let size = sizes.and_then(|sizes| sizes.get(*axis)).copied();
                self.extents
                    .extend(size.map(|size| (let_.binds[0].name, size)));
            }
            ExpOp::Prim(op @ (Prim::Quot | Prim::Rem), operands) => {
                self.part(*op, operands, let_.binds[0].name);
            }
            ExpOp::Prim(..)
            | ExpOp::Const(_)
            | ExpOp::Index { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => {}
        }
    }

    /// What a quotient or a remainder of a position by its innermost extent is.
    fn part(&mut self, op: Prim, operands: &[ExpId], result: ExpId) {
        let &[whole, by] = operands else {
            return;
        };
        let dimensions = self.positions.get(&whole).copied().filter(|&d| d > 1);
        let Some(dimensions) = dimensions else {
            return;
        };
        if self.extents.get(&by) != Some(&self.sizes[dimensions - 1]) {
            return;
        }
        if op == Prim::Rem {
            self.coordinates.insert(result, dimensions - 1);
        } else if dimensions == 2 {
            self.coordinates.insert(result, 0);
        } else {
            self.positions.insert(result, dimensions - 1);
        }
    }

    fn function(&self) -> Option<Fun<Labelled>> {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.sizes.len()]);
        let mut f = self.f.clone();
        let replaced = |let_: &ExpLet<Labelled>| {
            let name = let_.binds[0].name;
            self.coordinates.contains_key(&name) || self.positions.contains_key(&name)
        };
        f.body
            .each_block_mut(&mut |block| block.lets.retain(|let_| !replaced(let_)));
        let is_position = |x: &ExpId| self.positions.contains_key(x);
        let mut read = f.body.reads().chain(f.body.results.iter().copied());
        if read.any(|x| is_position(&x)) {
            return None;
        }
        // Coordinates are given in place of the position.
        let mut names: Vec<_> = self.coordinates.iter().collect();
        names.sort();
        let args: Vec<ExpId> = names.iter().map(|(_, k)| index[**k]).collect();
        let param = |(&name, _)| ExpBind {
            name,
            ty: ScalarType::I32,
        };
        f.params = names.into_iter().map(param).collect();
        let results = b.inline(&f, &args);
        Some(b.finish(results))
    }
}
