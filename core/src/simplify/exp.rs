//! Simplifying one scalar function: a forward walk that rebuilds it, then a backward one that cleans it.
//!
//! The forward walk ([`Rewriter`]) reads the old code and writes new code with fresh labels. Each operation
//! goes through constant folding, the rules of [`algebra`], the few that are for terms alone ([`float`], [`tangent`]), and
//! value numbering; so rules see operands that are already simple, and what they build is
//! simplified in turn. Value numbers are scoped by blocks: code of an outer block is visible inside, never
//! the reverse, so nothing guarded by a conditional comes to run unguarded. An indexing merges only with an
//! equal one that *dominates* it, whose location stays.
//!
//! The backward walk ([`clean`]) drops what is not used and numbers the rest from 0 in order of binding,
//! captures in order of first use: afterwards functions that are equal up to names are equal as terms.

mod branch;
mod clean;
mod float;
mod inside;
mod looping;
mod need;
mod relabel;
mod tangent;

pub use clean::{GradientPlan, clean, keep_pairs};
pub use need::by_need;
pub use relabel::anonymous_fun;

use super::counts::RuleCounts;
use super::table::ScopedTable;
use crate::algebra::{self, ScalarCode};
use crate::analysis::shape::{Shapes, Size, SizeNode};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{ArrId, Axis, ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use crate::types::ScalarType;
use std::collections::HashMap;

/// What the surrounding array program knows of the arrays that a function captures.
pub trait ArrayFacts {
    /// The array's extent along an axis, where it is worth computing from other arrays.
    fn extent(&self, array: ArrId, axis: usize) -> Option<(&Shapes, Size)>;

    /// The extents of an array, where they are known.
    fn sizes(&self, array: ArrId) -> Option<(&Shapes, &[Size])>;

    /// The extent that the only element of an array, a number of a trip, is below.
    fn bound(&self, array: ArrId) -> Option<(&Shapes, Size)>;

    /// How the elements of an array come about, where reading one is worth replacing.
    fn element(&self, array: ArrId) -> Element<'_>;
}

/// How the elements of an array come about.
pub enum Element<'a> {
    /// Nothing is known that would help.
    Opaque,
    /// All are this constant.
    Fill(Const),
    /// The only one is a result, at this position, of a function without parameters; it is cheap.
    Scalar(&'a Fun<Labelled>, usize),
    /// They are a result, at this position, of a function of the index, and zero but where coordinates are equal.
    Unit(&'a Fun<Labelled>, usize),
    /// They are those of another array, repeated along the `Fixed` dimensions.
    Replicated(&'a [Axis], ArrId),
}

/// The facts where nothing is known.
struct NoFacts;

impl ArrayFacts for NoFacts {
    fn extent(&self, _array: ArrId, _axis: usize) -> Option<(&Shapes, Size)> {
        None
    }

    fn sizes(&self, _array: ArrId) -> Option<(&Shapes, &[Size])> {
        None
    }

    fn bound(&self, _array: ArrId) -> Option<(&Shapes, Size)> {
        None
    }

    fn element(&self, _array: ArrId) -> Element<'_> {
        Element::Opaque
    }
}

/// What the surrounding array program knows of a function's parameters.
pub struct Params<'a> {
    /// Those that are constants; they stay in the list of parameters.
    pub constants: &'a HashMap<ExpId, Const>,
    /// If they are an index: the extents of the space, as far as they are known.
    pub space: &'a [Option<Size>],
}

/// Simplifies a function of which nothing else is known.
pub fn simplify_fun(fun: Fun<Labelled>, counts: &mut RuleCounts) -> Fun<Labelled> {
    let nothing = Params {
        constants: &HashMap::new(),
        space: &[],
    };
    rewrite(fun, &NoFacts, &nothing, counts)
}

/// Simplifies a function, given what is known of its parameters and captures.
pub fn rewrite(
    fun: Fun<Labelled>,
    facts: &dyn ArrayFacts,
    known: &Params<'_>,
    counts: &mut RuleCounts,
) -> Fun<Labelled> {
    let Fun {
        captures,
        params,
        body,
    } = fun;
    let mut rewriter = Rewriter::new(facts, counts);
    rewriter.slots = captures.iter().map(|&a| rewriter.capture(a)).collect();
    let params: Vec<_> = params
        .iter()
        .map(|p| rewriter.param(p, known.constants.get(&p.name).copied()))
        .collect();
    let coordinates = params.iter().zip(known.space);
    rewriter.space = coordinates.map(|(p, &s)| (p.name, s)).collect();
    rewriter.lets(body.lets);
    let results = rewriter.list(&body.results);
    let Rewriter { captures, lets, .. } = rewriter;
    let mut fun = Fun {
        captures,
        params,
        body: ExpBlock { lets, results },
    };
    clean(&mut fun, counts);
    fun
}

/// What is known of a new label.
struct Value {
    ty: ScalarType,
    /// The operation that computes it, if it has one result and no blocks.
    op: Option<ExpOp<Labelled>>,
}

/// Reads old code and writes new code.
struct Rewriter<'a> {
    facts: &'a dyn ArrayFacts,
    counts: &'a mut RuleCounts,
    /// Old labels to new ones.
    names: HashMap<ExpId, ExpId>,
    /// Old slots to new ones.
    slots: Vec<Slot>,
    captures: Vec<ArrId>,
    /// By new label.
    values: Vec<Value>,
    /// Operations with one result and no blocks.
    available: ScopedTable<ExpOp<Labelled>, ExpId>,
    /// Small operations with blocks, made anonymous.
    available_blocks: ScopedTable<ExpOp<Labelled>, Vec<ExpId>>,
    /// Conditions whose outcome is known in the branch being read.
    known: HashMap<ExpId, bool>,
    /// Coordinates, and the extents that they are below.
    space: HashMap<ExpId, Option<Size>>,
    lets: Vec<ExpLet<Labelled>>,
    loc: Loc,
}

impl ScalarCode for Rewriter<'_> {
    type Value = ExpId;

    fn type_of(&self, x: ExpId) -> ScalarType {
        self.values[x.0 as usize].ty
    }

    fn constant_of(&self, x: ExpId) -> Option<Const> {
        let literal = self.op_of(x).and_then(ExpOp::as_const);
        literal.or_else(|| self.known.get(&x).map(|&b| Const::Bool(b)))
    }

    fn prim_of(&self, x: ExpId) -> Option<(Prim, &[ExpId])> {
        self.op_of(x)?.as_prim()
    }

    fn constant(&mut self, value: Const) -> ExpId {
        self.emit(ExpOp::Const(value), value.scalar_type())
    }

    fn prim(&mut self, op: Prim, operands: &[ExpId]) -> ExpId {
        if let Some(value) = algebra::fold(self, op, operands) {
            return value;
        }
        let operands = algebra::in_order(self, op, operands);
        let simple = float::rules(self, op, &operands);
        let simple = simple.or_else(|| algebra::rules(self, op, &operands));
        if let Some(simple) = simple.or_else(|| tangent::combine_selected(self, op, &operands)) {
            return simple;
        }
        let ty = algebra::result_type(self, op, &operands);
        self.emit(ExpOp::Prim(op, operands), ty)
    }

    fn fire(&mut self, rule: &'static str) {
        self.counts.fire(rule);
    }

    fn own_selection(&mut self, c: ExpId, x: ExpId, y: ExpId) -> Option<ExpId> {
        tangent::selection(self, c, (x, y))
    }
}

impl<'a> Rewriter<'a> {
    fn new(facts: &'a dyn ArrayFacts, counts: &'a mut RuleCounts) -> Self {
        Self {
            facts,
            counts,
            names: HashMap::new(),
            slots: vec![],
            captures: vec![],
            values: vec![],
            available: ScopedTable::default(),
            available_blocks: ScopedTable::default(),
            known: HashMap::new(),
            space: HashMap::new(),
            lets: vec![],
            loc: Loc::UNKNOWN,
        }
    }

    // Labels.

    fn fresh(&mut self, ty: ScalarType, op: Option<ExpOp<Labelled>>) -> ExpBind<Labelled> {
        self.values.push(Value { ty, op });
        let name = ExpId(self.values.len() as u32 - 1);
        ExpBind { name, ty }
    }

    /// A new label for an old binder.
    fn bind(&mut self, old: &ExpBind<Labelled>) -> ExpBind<Labelled> {
        let new = self.fresh(old.ty, None);
        self.names.insert(old.name, new.name);
        new
    }

    fn param(&mut self, old: &ExpBind<Labelled>, constant: Option<Const>) -> ExpBind<Labelled> {
        let new = self.bind(old);
        if let Some(constant) = constant {
            let constant = self.constant(constant);
            self.names.insert(old.name, constant);
        }
        new
    }

    fn name(&self, old: ExpId) -> ExpId {
        self.names.get(&old).copied().unwrap_or(old)
    }

    fn list(&self, old: &[ExpId]) -> Vec<ExpId> {
        old.iter().map(|&x| self.name(x)).collect()
    }

    fn capture(&mut self, array: ArrId) -> Slot {
        let known = self.captures.iter().position(|&a| a == array);
        let slot = known.unwrap_or_else(|| {
            self.captures.push(array);
            self.captures.len() - 1
        });
        Slot(slot as u32)
    }

    // What is known of a value.

    fn op_of(&self, x: ExpId) -> Option<&ExpOp<Labelled>> {
        self.values[x.0 as usize].op.as_ref()
    }

    // Writing.

    /// The value of `op`, which has one result of type `ty` and no blocks: known already, or pushed.
    fn emit(&mut self, op: ExpOp<Labelled>, ty: ScalarType) -> ExpId {
        if let Some(&known) = self.available.get(&op) {
            if !matches!(op, ExpOp::Const(_)) {
                self.counts.fire("cse");
            }
            return known;
        }
        let bind = self.fresh(ty, Some(op.clone()));
        let name = bind.name;
        self.available.insert(op.clone(), name);
        self.push(vec![bind], op);
        name
    }

    fn push(&mut self, binds: Vec<ExpBind<Labelled>>, op: ExpOp<Labelled>) {
        let loc = self.loc;
        self.lets.push(ExpLet { binds, op, loc });
    }

    // Reading.

    fn lets(&mut self, lets: Vec<ExpLet<Labelled>>) {
        for ExpLet { binds, op, loc } in lets {
            self.loc = loc;
            self.let_(&binds, op);
        }
    }

    fn let_(&mut self, binds: &[ExpBind<Labelled>], op: ExpOp<Labelled>) {
        let values = match op {
            ExpOp::Const(c) => vec![self.constant(c)],
            ExpOp::Prim(op, operands) => vec![self.prim(op, &self.list(&operands))],
            ExpOp::Index { array, index } => {
                let array = self.captures[self.slots[array.0 as usize].0 as usize];
                vec![self.index(array, self.list(&index), binds[0].ty)]
            }
            ExpOp::Extent { array, axis } => {
                let array = self.captures[self.slots[array.0 as usize].0 as usize];
                vec![self.extent(array, axis)]
            }
            ExpOp::Cond { cond, then_, else_ } => self.cond(cond, then_, else_, binds),
            ExpOp::Derivative {
                mode,
                params,
                body,
                args,
            } => self.derivative(mode, &params, body, &args, binds),
            ExpOp::WithPartials(args) => {
                let args = self.list(&args);
                vec![self.with_partials(args, binds[0].ty)]
            }
            ExpOp::Loop { test, step, args } => self.loop_(test, step, &args, binds),
        };
        for (bind, value) in binds.iter().zip(values) {
            self.names.insert(bind.name, value);
        }
    }

    /// An element of `array`, through what is known of it.
    fn index(&mut self, array: ArrId, index: Vec<ExpId>, ty: ScalarType) -> ExpId {
        let facts = self.facts;
        match facts.element(array) {
            Element::Fill(value) if self.is_inside(array, &index) => {
                self.counts.fire("index_fill");
                self.constant(value)
            }
            Element::Scalar(fun, result) => {
                self.counts.fire("index_scalar");
                self.inline(fun, result, &[])
            }
            Element::Replicated(axes, original) if self.is_inside(array, &index) => {
                self.counts.fire("index_replicate");
                let coordinates = index.iter().zip(axes);
                let kept = coordinates.filter(|(_, axis)| **axis == Axis::All);
                let kept = kept.map(|(&x, _)| x).collect();
                self.index(original, kept, ty)
            }
            Element::Unit(fun, result) if self.is_inside(array, &index) => {
                self.counts.fire("index_unit");
                self.inline(fun, result, &index)
            }
            // An index that may be out of range stays, for what it may fail by.
            Element::Opaque | Element::Fill(_) | Element::Replicated(..) | Element::Unit(..) => {
                let array = self.capture(array);
                self.emit(ExpOp::Index { array, index }, ty)
            }
        }
    }

    /// A result of a function of `args`, whose code is copied here.
    fn inline(&mut self, fun: &Fun<Labelled>, result: usize, args: &[ExpId]) -> ExpId {
        let slots = fun.captures.iter().map(|&a| self.capture(a)).collect();
        let slots = std::mem::replace(&mut self.slots, slots);
        let params = fun.params.iter().map(|param| param.name);
        let given = params.zip(args.iter().copied()).collect();
        let names = std::mem::replace(&mut self.names, given);
        let loc = self.loc;
        self.lets(fun.body.lets.clone());
        let result = self.name(fun.body.results[result]);
        (self.slots, self.names, self.loc) = (slots, names, loc);
        result
    }

    fn extent(&mut self, array: ArrId, axis: usize) -> ExpId {
        let facts = self.facts;
        if let Some((shapes, size)) = facts.extent(array, axis) {
            self.counts.fire("extent_forward");
            return self.size(shapes, size);
        }
        self.own_extent(array, axis)
    }

    fn own_extent(&mut self, array: ArrId, axis: usize) -> ExpId {
        let array = self.capture(array);
        self.emit(ExpOp::Extent { array, axis }, ScalarType::I32)
    }

    fn size(&mut self, shapes: &Shapes, size: Size) -> ExpId {
        match shapes.node(size) {
            SizeNode::Const(c) => self.constant(*c),
            SizeNode::Extent { array, axis } => self.own_extent(*array, *axis),
            SizeNode::Prim(op, operands) => {
                let operands: Vec<_> = operands.iter().map(|&s| self.size(shapes, s)).collect();
                self.prim(*op, &operands)
            }
        }
    }
}
