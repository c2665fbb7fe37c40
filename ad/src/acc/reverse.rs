//! The dual pass over a block: contributions collected, lets walked backwards (§3.4.4 of paper 003).
//!
//! Invariants: only active arrays have contributions, each of the array's own shape; when the walk over a
//! block ends, what is left in the map is bound outside of that block. An array without contributions has
//! a symbolic zero.

use super::activity::Activity;
use super::contributions::Contributions;
use super::recurrence::Combined;
use crate::error::AdError;
use crate::exp::Form;
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::constant::Const;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Labelled};
use cotangent_core::types::ArrayType;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A dual pass under way.
pub(crate) struct Reverse<'a> {
    /// Receives the code; its labels are new to the program.
    pub b: &'a mut AccBuilder,
    /// How guards are written.
    pub(super) form: Form,
    pub(super) types: &'a mut HashMap<ArrId, ArrayType>,
    pub(super) shapes: &'a mut Shapes,
    pub(super) activity: Activity,
    pub(super) contributions: BTreeMap<ArrId, Contributions>,
    /// Arrays to whose adjoint, as a loop carries it, parts are added in place, at the cost of what they touch.
    pub(super) carried: HashSet<ArrId>,
    /// Arrays of the primal that are in memory when the dual runs: duals read them instead of computing them again.
    pub(super) stored: HashSet<ArrId>,
    /// Arrays that loops have updated, as their duals have made them again.
    pub(super) restored: HashMap<ArrId, Arr>,
    /// Lets that the primal gets before the one whose dual is being made.
    added: Vec<AccLet<Labelled>>,
}

/// A let of the primal, and the adjoints of its results.
pub(super) struct Node<'a> {
    pub binds: &'a [Arr],
    pub op: &'a AccOp<Labelled>,
    pub adjoints: &'a [Option<Arr>],
}

impl<'a> Reverse<'a> {
    /// A pass that has seen nothing yet, over code whose arrays have the given types and shapes.
    pub(crate) fn new(
        b: &'a mut AccBuilder,
        form: Form,
        types: &'a mut HashMap<ArrId, ArrayType>,
        shapes: &'a mut Shapes,
    ) -> Self {
        Self {
            b,
            form,
            types,
            shapes,
            activity: Activity::default(),
            contributions: BTreeMap::new(),
            carried: HashSet::new(),
            stored: HashSet::new(),
            restored: HashMap::new(),
            added: vec![],
        }
    }

    /// Finds out what in `body` depends on `params`.
    pub(crate) fn activate(&mut self, params: &[Arr], body: &AccBlock<Labelled>) {
        self.activity.seed(params);
        self.activity.spread(body);
    }

    /// Whether `array` is to have an adjoint.
    pub(crate) fn is_active(&self, array: ArrId) -> bool {
        self.activity.is_active(array)
    }

    /// An array of the primal with its type.
    pub(crate) fn array(&self, name: ArrId) -> Result<Arr, AdError> {
        match self.types.get(&name) {
            Some(&ty) => Ok(Arr::new(name, ty)),
            None => Err(AdError::Bug(format!("{name} is not bound"))),
        }
    }

    /// The same for several.
    pub(super) fn arrays(&self, names: &[ArrId]) -> Result<Vec<Arr>, AdError> {
        names.iter().map(|&a| self.array(a)).collect()
    }

    /// Takes note of what the lets of `block`, which are new to the primal, bind.
    pub(super) fn enter(&mut self, block: &AccBlock<Labelled>) {
        let bindings = block.bindings();
        self.types.extend(bindings.map(|bind| (bind.name, bind.ty)));
        self.shapes.block(block);
    }

    /// Takes note of one array that is new to the primal.
    pub(super) fn enter_array(&mut self, array: &Arr) {
        self.types.insert(array.name, array.ty);
    }

    /// Contributes to what `block` reads, given the adjoints of its results: the dual of code that takes the place of a part
    /// of the primal, and that the dual runs itself.
    pub(super) fn through(
        &mut self,
        mut block: AccBlock<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        self.enter(&block);
        self.activity.spread(&block);
        for (&result, adjoint) in block.results.iter().zip(adjoints) {
            if let Some(d) = adjoint {
                self.contribute(result, d.clone());
            }
        }
        self.b.open();
        self.apart(|reverse| reverse.walk(&mut block))?;
        let dual = self.b.close(&[]);
        let lets = block.lets.into_iter().chain(dual.lets);
        lets.for_each(|let_| self.b.push_let(let_));
        Ok(())
    }

    /// Does something that is to add nothing of what was made for the primal so far to code inside.
    pub(super) fn apart<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let added = std::mem::take(&mut self.added);
        let result = inside(self);
        self.added = added;
        result
    }

    /// The results of an operation, if they are all stored.
    pub(super) fn given<'n>(&self, node: &Node<'n>) -> &'n [Arr] {
        let is_stored = |bind: &Arr| self.stored.contains(&bind.name);
        match node.binds.iter().all(is_stored) {
            true => node.binds,
            false => &[],
        }
    }

    /// Zeros of the type and shape of `like`.
    pub(super) fn zeros(&mut self, like: &Arr) -> Arr {
        self.b.fill_like(like, Const::zero(like.ty.elem))
    }

    /// Makes something that the primal is to have before the let whose dual is being made.
    pub(super) fn in_primal<T>(&mut self, make: impl FnOnce(&mut AccBuilder) -> T) -> T {
        self.b.open();
        let made = make(self.b);
        let block = self.b.close(&[]);
        self.added.extend(block.lets);
        made
    }

    /// Pushes the dual of all lets of `block`. Conditionals in it are changed to export what that needs, and
    /// folds to find where extremes are.
    pub(crate) fn walk(&mut self, block: &mut AccBlock<Labelled>) -> Result<(), AdError> {
        for at in (0..block.lets.len()).rev() {
            let let_ = &mut block.lets[at];
            self.b.set_loc(let_.loc);
            let names: Vec<_> = let_.binds.iter().map(|b| b.name).collect();
            let adjoints: Vec<_> = names.into_iter().map(|b| self.take(b)).collect();
            if adjoints.iter().any(Option::is_some) {
                self.step(let_, &adjoints)?;
                block.lets.splice(at..at, std::mem::take(&mut self.added));
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        let_: &mut AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        if let AccOp::Cond { .. } = let_.op {
            return self.cond(let_, adjoints);
        }
        if let AccOp::Fold { .. } = let_.op {
            return self.fold(let_, adjoints);
        }
        if let AccOp::Loop { .. } = let_.op {
            return self.looping(let_, adjoints);
        }
        if let AccOp::Custom { .. } = let_.op {
            return self.custom(let_, adjoints);
        }
        let node = Node::of(let_, adjoints);
        match node.op {
            AccOp::Use(_) | AccOp::Cond { .. } | AccOp::Custom { .. } => Ok(()),
            // Positions have no adjoint.
            AccOp::Argsort { .. } => Ok(()),
            AccOp::FoldSegments { .. } => Err(AdError::segments_left()),
            AccOp::Fold { .. } | AccOp::Loop { .. } => Ok(()),
            AccOp::Generate { shape: _, f } => self.generate(&node, f),
            AccOp::Map { f, args } => self.map(&node, f, args),
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(
                &node,
                &Combined {
                    direction: *direction,
                    f,
                    init: init.as_ref(),
                    args,
                },
            ),
            AccOp::Move { how, arg } => self.moved(&node, how, *arg),
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => self.permute(&node, *combine, (defaults, args), target),
            AccOp::Unpack { args } => self.unpack(&node, args),
            AccOp::Append { args } => self.append(&node, args),
            AccOp::Derivative { .. } => Err(AdError::Bug("a gradient is left".to_owned())),
        }
    }
}

impl<'a> Node<'a> {
    /// The let with these adjoints.
    pub(super) fn of(let_: &'a AccLet<Labelled>, adjoints: &'a [Option<Arr>]) -> Self {
        Self {
            binds: &let_.binds,
            op: &let_.op,
            adjoints,
        }
    }

    /// The adjoint of the only result.
    pub(super) fn adjoint(&self) -> Result<Arr, AdError> {
        match self.adjoints {
            [Some(adjoint)] => Ok(adjoint.clone()),
            _ => Err(AdError::Bug(format!(
                "`{}` has not one result",
                self.op.name()
            ))),
        }
    }
}
