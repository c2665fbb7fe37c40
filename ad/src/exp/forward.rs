//! Forward mode: code that carries tangents along with values.
//!
//! Tangents are those of several *directions* at a time. [`Reach`] says which directions reach a scalar at all, so nothing is
//! computed for the others. A primitive maps tangents by the rules by which it maps adjoints: both are products with the
//! partial derivatives.

use super::activity::inputs;
use super::guard::{Form, Guard, Origin, Singular, guarded, guarded_product, has_pole};
use super::prim::{self, Application, is_smooth};
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Labelled, Slot};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The position of a direction.
pub(super) type Direction = usize;

/// Which directions reach each scalar. Only floats are reached.
#[derive(Debug, Default)]
pub(super) struct Reach {
    scalars: HashMap<ExpId, BTreeSet<Direction>>,
}

impl Reach {
    /// Makes `x` a direction of its own, among others.
    pub(super) fn seed(&mut self, x: ExpId, direction: Direction) {
        self.scalars.entry(x).or_default().insert(direction);
    }

    /// The directions that reach `x`.
    pub(super) fn of(&self, x: ExpId) -> impl Iterator<Item = Direction> {
        self.scalars.get(&x).into_iter().flatten().copied()
    }

    pub(super) fn block(&mut self, block: &ExpBlock<Labelled>) {
        block.lets.iter().for_each(|let_| self.let_(let_));
    }

    /// Follows the directions through a let.
    pub(super) fn let_(&mut self, let_: &ExpLet<Labelled>) {
        match &let_.op {
            ExpOp::Const(_) | ExpOp::Extent { .. } => {}
            ExpOp::Index { .. } | ExpOp::Derivative { .. } => {}
            ExpOp::Prim(op, operands) if is_smooth(*op) => {
                operands.iter().for_each(|&x| self.pass(x, &let_.binds[0]));
            }
            ExpOp::Prim(..) => {}
            ExpOp::WithPartials(args) => {
                inputs(args).for_each(|(x, _)| self.pass(x, &let_.binds[0]));
            }
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => {
                for branch in [then_, else_] {
                    self.block(branch);
                    let pairs = branch.results.iter().zip(&let_.binds);
                    pairs.for_each(|(&x, bind)| self.pass(x, bind));
                }
            }
            ExpOp::Loop {
                test: _,
                step,
                args,
            } => {
                self.loop_(step, args);
                let pairs = step.params.iter().zip(&let_.binds);
                pairs
                    .skip(1)
                    .for_each(|(param, bind)| self.pass(param.name, bind));
            }
        }
    }

    /// Goes through the step until no further trip would bring a direction to more of the state.
    fn loop_(&mut self, step: &ExpClosure<Labelled>, args: &[ExpId]) {
        let state = &step.params[1..];
        let mut known = None;
        loop {
            for ((param, &arg), &next) in state.iter().zip(&args[1..]).zip(&step.body.results) {
                self.pass(arg, param);
                self.pass(next, param);
            }
            let reached: usize = state.iter().map(|p| self.of(p.name).count()).sum();
            if known.replace(reached) == Some(reached) {
                return;
            }
            self.block(&step.body);
        }
    }

    fn pass(&mut self, from: ExpId, to: &ExpBind<Labelled>) {
        if let Some(directions) = self.scalars.get(&from).cloned()
            && to.ty.is_float()
        {
            self.scalars.entry(to.name).or_default().extend(directions);
        }
    }
}

/// Code being given tangents.
pub(super) struct Forward<'a> {
    pub b: &'a mut FunBuilder,
    pub form: Form,
    pub singular: &'a Singular,
    pub reach: &'a Reach,
    /// By captured array: that of its tangents, if it has any. Elements of others that are reached are directions of their own.
    pub arrays: HashMap<Slot, Slot>,
    tangents: HashMap<(ExpId, Direction), ExpId>,
    /// Scalars whose tangents may be infinite, as partial derivatives on the way are at poles.
    steep: HashSet<ExpId>,
}

impl<'a> Forward<'a> {
    /// Nothing has a tangent yet but what is reached without a let: see [`set`](Self::set).
    pub(super) fn new(
        b: &'a mut FunBuilder,
        form: Form,
        singular: &'a Singular,
        reach: &'a Reach,
    ) -> Self {
        Self {
            b,
            form,
            singular,
            reach,
            arrays: HashMap::new(),
            tangents: HashMap::new(),
            steep: HashSet::new(),
        }
    }

    /// The tangent of `x`, if it has one.
    pub(super) fn tangent(&self, x: ExpId, direction: Direction) -> Option<ExpId> {
        self.tangents.get(&(x, direction)).copied()
    }

    /// Says what the tangent of `x` is.
    pub(super) fn set(&mut self, x: ExpId, direction: Direction, tangent: ExpId) {
        self.tangents.insert((x, direction), tangent);
    }

    /// Gives all lets of a block tangents.
    pub(super) fn block(&mut self, block: &mut ExpBlock<Labelled>) {
        let mut lets = vec![];
        for mut let_ in std::mem::take(&mut block.lets) {
            self.b.set_loc(let_.loc);
            self.b.open();
            self.before(&mut let_);
            lets.extend(self.b.close(vec![]).lets);
            self.b.open();
            self.after(&let_);
            let after = self.b.close(vec![]).lets;
            lets.push(let_);
            lets.extend(after);
        }
        block.lets = lets;
    }

    /// Gives the blocks of a let tangents; pushes what these start from.
    pub(super) fn before(&mut self, let_: &mut ExpLet<Labelled>) {
        self.spread_steepness(let_);
        let binds = &mut let_.binds;
        match &mut let_.op {
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => {}
            ExpOp::Extent { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => {}
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => self.cond(binds, [then_, else_]),
            ExpOp::Loop { test, step, args } => {
                self.loop_(binds, (test.as_mut(), step), args);
            }
        }
    }

    /// Takes what a conditional gives and a loop carries for steep if anything inside is, or reads what is.
    fn spread_steepness(&mut self, let_: &ExpLet<Labelled>) {
        let blocks = let_.op.blocks();
        let has_pole = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Prim(op, _) if has_pole(*op));
        let inside = || blocks.iter().flat_map(|inner| inner.block.all_lets());
        let is_steep = inside().any(|let_| has_pole(&let_.op))
            || let_.op.reads().any(|x| self.steep.contains(&x));
        if is_steep && !blocks.is_empty() {
            let given = blocks.iter().flat_map(|inner| inner.binds);
            let names = given.chain(&let_.binds).map(|bind| bind.name);
            self.steep.extend(names);
        }
    }

    /// Pushes the tangents of the results of an operation without blocks.
    fn after(&mut self, let_: &ExpLet<Labelled>) {
        let result = &let_.binds[0];
        match &let_.op {
            ExpOp::Prim(op, operands) => {
                if has_pole(*op) || operands.iter().any(|x| self.steep.contains(x)) {
                    self.steep.insert(result.name);
                }
                for direction in self.reach.of(result.name).collect::<Vec<_>>() {
                    if let Some(tangent) = self.prim(*op, operands, result, direction) {
                        self.set(result.name, direction, tangent);
                    }
                }
            }
            ExpOp::Index { array, index } => {
                for direction in self.reach.of(result.name).collect::<Vec<_>>() {
                    let tangent = match self.arrays.get(array) {
                        Some(&array) => {
                            let index = index.clone();
                            self.b.push(ExpOp::Index { array, index }, &[result.ty])[0]
                        }
                        None => self.b.small(result.ty, 1),
                    };
                    self.set(result.name, direction, tangent);
                }
            }
            ExpOp::WithPartials(args) => {
                self.steep.insert(result.name);
                for direction in self.reach.of(result.name).collect::<Vec<_>>() {
                    if let Some(tangent) = self.by_partials(args, direction) {
                        self.set(result.name, direction, tangent);
                    }
                }
            }
            ExpOp::Const(_) | ExpOp::Extent { .. } | ExpOp::Derivative { .. } => {}
            ExpOp::Cond { .. } | ExpOp::Loop { .. } => {}
        }
    }

    /// The sum of tangents, each times the partial derivative that is given.
    fn by_partials(&mut self, args: &[ExpId], direction: Direction) -> Option<ExpId> {
        let mut total = None;
        for (x, partial) in inputs(args) {
            let Some(tangent) = self.tangent(x, direction) else {
                continue;
            };
            let part = guarded_product(self.b, self.form, partial, tangent);
            let part = guarded(self.b, self.form, tangent, part);
            total = Some(match total {
                None => part,
                Some(sum) => self.b.prim(Prim::Add, &[sum, part]),
            });
        }
        total
    }

    /// The sum of the tangents of the operands, each times the partial derivative.
    fn prim(
        &mut self,
        op: Prim,
        operands: &[ExpId],
        result: &ExpBind<Labelled>,
        direction: Direction,
    ) -> Option<ExpId> {
        if let Some(tangent) = self.selected(op, operands, direction) {
            return Some(tangent);
        }
        let mut total = None;
        for (position, &operand) in operands.iter().enumerate() {
            let Some(tangent) = self.tangent(operand, direction) else {
                continue;
            };
            if let Some(part) = self.part(op, operands, result, (position, tangent)) {
                total = Some(match total {
                    None => part,
                    Some(sum) => self.b.prim(Prim::Add, &[sum, part]),
                });
            }
        }
        total
    }

    /// Of a selection of two that have tangents, that of the one selected. So what replaces an entry of an array does so for the
    /// tangents, too.
    fn selected(&mut self, op: Prim, operands: &[ExpId], direction: Direction) -> Option<ExpId> {
        let (Prim::Select, &[cond, x, y]) = (op, operands) else {
            return None;
        };
        let [x, y] = [x, y].map(|operand| self.tangent(operand, direction));
        Some(self.b.prim(Prim::Select, &[cond, x?, y?]))
    }

    fn part(
        &mut self,
        op: Prim,
        operands: &[ExpId],
        result: &ExpBind<Labelled>,
        (position, tangent): (usize, ExpId),
    ) -> Option<ExpId> {
        if let Prim::Convert(to) = op {
            let same = self.b.type_of(tangent) == to;
            return Some(if same {
                tangent
            } else {
                self.b.prim(op, &[tangent])
            });
        }
        if self.steep.contains(&operands[position]) {
            return self.steep_part(op, operands, result, (position, tangent));
        }
        self.product(op, operands, result, (position, tangent))
    }

    /// The same where the tangent may be infinite: a partial derivative of 0 makes nothing of it, and not NaN.
    fn steep_part(
        &mut self,
        op: Prim,
        operands: &[ExpId],
        result: &ExpBind<Labelled>,
        (position, tangent): (usize, ExpId),
    ) -> Option<ExpId> {
        let one = self.b.small(result.ty, 1);
        let partial = self.product(op, operands, result, (position, one))?;
        let part = self.product(op, operands, result, (position, tangent))?;
        Some(guarded(self.b, self.form, partial, part))
    }

    /// The tangent times the partial derivative.
    fn product(
        &mut self,
        op: Prim,
        operands: &[ExpId],
        result: &ExpBind<Labelled>,
        (position, tangent): (usize, ExpId),
    ) -> Option<ExpId> {
        let app = Application {
            op,
            operands,
            result: result.name,
            result_adj: tangent,
            first_is_active: self.reach.of(operands[0]).next().is_some(),
            guard: Guard {
                form: self.form,
                origin: Origin::Given,
                singular: self.singular,
            },
        };
        let product = prim::adjoint(self.b, &app, position)?;
        Some(match (op, self.form) {
            (Prim::Mul, Form::Last) => self.marked(product, tangent),
            (_op, Form::Last | Form::Differentiable) => product,
        })
    }

    /// A product with a tangent as one that the simplifier may take for zero where the tangent is, whatever the other factor.
    fn marked(&mut self, product: ExpId, tangent: ExpId) -> ExpId {
        let ty = self.b.type_of(product);
        let op = ExpOp::WithPartials(vec![product, tangent]);
        self.b.push(op, &[ty])[0]
    }

    fn cond(
        &mut self,
        binds: &mut Vec<ExpBind<Labelled>>,
        mut branches: [&mut ExpBlock<Labelled>; 2],
    ) {
        let results = binds.clone();
        branches.iter_mut().for_each(|branch| self.block(branch));
        for (position, bind) in results.iter().enumerate() {
            for direction in self.reach.of(bind.name).collect::<Vec<_>>() {
                for branch in &mut branches {
                    let result = branch.results[position];
                    self.result(branch, (result, direction), bind.ty);
                }
                self.bind(binds, bind, direction);
            }
        }
    }

    /// Makes the tangent of a result of a block a further result, zero if it has none.
    pub(super) fn result(
        &mut self,
        block: &mut ExpBlock<Labelled>,
        (result, direction): (ExpId, Direction),
        ty: ScalarType,
    ) {
        let tangent = self.tangent(result, direction).unwrap_or_else(|| {
            self.b.open();
            let zero = self.b.constant(Const::zero(ty));
            block.lets.extend(self.b.close(vec![]).lets);
            zero
        });
        block.results.push(tangent);
    }

    /// Binds a tangent of `original`.
    fn bind(
        &mut self,
        binds: &mut Vec<ExpBind<Labelled>>,
        original: &ExpBind<Labelled>,
        direction: Direction,
    ) {
        let tangent = self.b.fresh(original.ty);
        self.set(original.name, direction, tangent.name);
        binds.push(tangent);
    }

    fn loop_(
        &mut self,
        binds: &mut Vec<ExpBind<Labelled>>,
        (test, step): (Option<&mut ExpClosure<Labelled>>, &mut ExpClosure<Labelled>),
        args: &mut Vec<ExpId>,
    ) {
        let (results, state) = (binds.clone(), step.params.clone());
        let mut carried = vec![];
        for (at, param) in state.iter().enumerate().skip(1) {
            for direction in self.reach.of(param.name).collect::<Vec<_>>() {
                carried.push((at, direction));
                let first = self.tangent(args[at], direction);
                args.push(first.unwrap_or_else(|| self.b.constant(Const::zero(param.ty))));
                self.bind(&mut step.params, param, direction);
            }
        }
        if let Some(test) = test {
            let types = carried.iter().map(|&(at, _)| state[at].ty);
            test.params.extend(types.map(|ty| self.b.fresh(ty)));
        }
        self.block(&mut step.body);
        for (at, direction) in carried {
            let next = step.body.results[at - 1];
            self.result(&mut step.body, (next, direction), state[at].ty);
            self.bind(binds, &results[at], direction);
        }
    }
}
