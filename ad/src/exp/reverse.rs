//! The dual pass over a block: from the adjoints of its results to those of what is bound around it.
//!
//! Invariants: only active scalars have adjoints; when the walk over a block ends, what is left in the map
//! of adjoints is bound outside of that block. A scalar without an entry has a symbolic zero.

use super::activity::{Activity, inputs};
use super::guard::{Form, Guard, Origin, guarded_product};
use super::prim::{self, Application};
use crate::error::AdError;
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// What the dual pass knows of one execution of an `Index` on an active array: §3.4.1's index adjoint
/// information.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Which array.
    pub array: Slot,
    /// Whether it was executed; `None` where it always is.
    pub executed: Option<ExpId>,
    /// The coordinates; anything where it was not executed.
    pub index: Vec<ExpId>,
    /// The adjoint of the element; zero where it was not executed.
    pub element_adj: ExpId,
}

impl Record {
    /// That of a let which is always executed, if it is an `Index`.
    pub(super) fn of(let_: &ExpLet<Labelled>, element_adj: ExpId) -> Option<Self> {
        let ExpOp::Index { array, index } = &let_.op else {
            return None;
        };
        Some(Self {
            array: *array,
            executed: None,
            index: index.clone(),
            element_adj,
        })
    }
}

/// A dual pass under way.
#[derive(Debug)]
pub(crate) struct Reverse<'a> {
    /// Receives the code; its labels include those of the primal.
    pub b: &'a mut FunBuilder,
    pub activity: &'a Activity,
    /// How guards are written.
    pub(super) form: Form,
    /// The adjoints so far, by primal scalar.
    pub adjoints: BTreeMap<ExpId, ExpId>,
    /// By adjoint, what may make it zero.
    origins: HashMap<ExpId, Origin>,
    pub records: Vec<Record>,
    /// Lets that the primal gets before the one whose dual is being made.
    pub(super) added: Vec<ExpLet<Labelled>>,
}

impl<'a> Reverse<'a> {
    /// A pass that has seen nothing yet.
    pub(crate) fn new(b: &'a mut FunBuilder, activity: &'a Activity, form: Form) -> Self {
        Self {
            b,
            activity,
            form,
            adjoints: BTreeMap::new(),
            origins: HashMap::new(),
            records: vec![],
            added: vec![],
        }
    }

    /// Adds to the adjoint of `x`, if it is to have one.
    pub(crate) fn contribute(&mut self, x: ExpId, x_adj: ExpId, origin: Origin) {
        if !self.activity.is_active(x) {
            return;
        }
        let (total, origin) = match self.adjoints.get(&x) {
            Some(&so_far) => (
                self.b.prim(Prim::Add, &[so_far, x_adj]),
                self.origin(so_far).max(origin),
            ),
            None => (x_adj, origin),
        };
        self.adjoints.insert(x, total);
        // One adjoint may be passed on to several scalars.
        let known = self.origins.entry(total).or_insert(origin);
        *known = origin.max(*known);
    }

    /// What may make an adjoint zero.
    pub(super) fn origin(&self, adjoint: ExpId) -> Origin {
        let known = self.origins.get(&adjoint).copied();
        known.unwrap_or(Origin::Cut)
    }

    /// Pushes the dual of all lets of `block`. Conditionals in it are changed to export what that needs, loops to carry
    /// tangents.
    pub(crate) fn walk(&mut self, block: &mut ExpBlock<Labelled>) -> Result<(), AdError> {
        for at in (0..block.lets.len()).rev() {
            let let_ = &mut block.lets[at];
            let take = |b| self.adjoints.remove(b);
            let adjoints: Vec<_> = let_.binds.iter().map(|b| &b.name).map(take).collect();
            if adjoints.iter().any(Option::is_some) {
                self.b.set_loc(let_.loc);
                self.step(let_, &adjoints)?;
                block.lets.splice(at..at, std::mem::take(&mut self.added));
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        let_: &mut ExpLet<Labelled>,
        adjoints: &[Option<ExpId>],
    ) -> Result<(), AdError> {
        match let_.op {
            ExpOp::Cond { .. } => return self.cond(let_, adjoints),
            ExpOp::Loop { .. } => return self.looping(let_, adjoints),
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => {}
            ExpOp::Extent { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => {}
        }
        let (&[Some(result_adj)], [result]) = (adjoints, let_.binds.as_slice()) else {
            return Err(bug(
                "an operation of one result with another number of them",
            ));
        };
        match &let_.op {
            ExpOp::Prim(op, operands) => self.prim(&Application {
                op: *op,
                operands,
                result: result.name,
                result_adj,
                first_is_active: operands
                    .first()
                    .is_some_and(|&x| self.activity.is_active(x)),
                guard: Guard {
                    form: self.form,
                    origin: self.origin(result_adj),
                    singular: self.activity.singular(),
                },
            }),
            ExpOp::Index { .. } => self.records.extend(Record::of(let_, result_adj)),
            ExpOp::WithPartials(args) => {
                for (x, partial) in inputs(args) {
                    let x_adj = guarded_product(self.b, self.form, result_adj, partial);
                    self.contribute(x, x_adj, Origin::Cut);
                }
            }
            ExpOp::Const(_) | ExpOp::Extent { .. } => {}
            ExpOp::Cond { .. } | ExpOp::Loop { .. } => {}
            ExpOp::Derivative { .. } => return Err(bug("a gradient inside a gradient is left")),
        }
        Ok(())
    }

    fn prim(&mut self, app: &Application) {
        for (position, &operand) in app.operands.iter().enumerate() {
            if self.activity.is_active(operand)
                && let Some(operand_adj) = prim::adjoint(self.b, app, position)
            {
                let may_overflow = app.guard.singular.may_overflow(operand);
                let origin = app.guard.origin.through(app.op, position, may_overflow);
                self.contribute(operand, operand_adj, origin);
            }
        }
    }
}

/// A broken invariant.
pub(crate) fn bug(what: &str) -> AdError {
    AdError::Bug(what.to_owned())
}

/// A builder that gives out labels which `fun` does not use, and knows the types of those it does.
///
/// Slots of `fun` are valid in it; parameters of `fun` are not among its parameters.
pub(crate) fn builder_beside(fun: &Fun<Labelled>) -> FunBuilder {
    let mut types = vec![];
    for ExpBind { name, ty } in fun.params.iter().chain(fun.body.bindings()) {
        let at = name.0 as usize;
        if types.len() <= at {
            types.resize(at + 1, ScalarType::I32);
        }
        types[at] = *ty;
    }
    let mut b = FunBuilder::new();
    for ty in types {
        b.fresh(ty);
    }
    for &array in &fun.captures {
        b.capture(array);
    }
    b
}
