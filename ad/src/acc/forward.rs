//! Forward mode: array code that makes tangents along with values.
//!
//! An operation of a block is given the tangents of what it reads and makes those of its results, by itself: a `map` becomes a
//! `map` of more columns, a fold one whose operator works on pairs of values and tangents, a loop carries tangents. So code in
//! forward mode has the structure of the primal, fuses as it does, and takes no more memory than twice as much.
//!
//! Invariants: an active array has a tangent, of its own shape and type; nothing else has one.

use super::activity::Activity;
use super::custom::{fitted, inlined};
use crate::error::AdError;
use crate::exp::{Form, with_tangents};
use crate::rename::ArrMap;
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::constant::Const;
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled, States};
use cotangent_core::types::ArrayType;
use std::collections::HashMap;

/// A block being given tangents.
pub(crate) struct Forward<'a> {
    pub b: &'a mut AccBuilder,
    form: Form,
    types: &'a mut HashMap<ArrId, ArrayType>,
    shapes: &'a mut Shapes,
    activity: Activity,
    tangents: ArrMap,
}

impl<'a> Forward<'a> {
    /// Code that depends on `params`, whose tangents are given.
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
            tangents: ArrMap::new(),
        }
    }

    /// The tangents of the results of `body`, a function of `params`, whose tangents are given; the body is extended by what
    /// makes them. Results that are not floats have zeros.
    pub(crate) fn results(
        &mut self,
        params: &[Arr],
        tangents: &[ArrId],
        body: &mut AccBlock<Labelled>,
    ) -> Result<Vec<ArrId>, AdError> {
        self.activity.seed(params);
        self.activity.spread(body);
        for (param, &tangent) in params.iter().zip(tangents) {
            if self.activity.is_active(param.name) {
                self.tangents.insert(param.name, tangent);
            }
        }
        self.block(body)?;
        let results = body.results.clone();
        self.b.open();
        let tangents = results
            .into_iter()
            .map(|result| self.tangent_or_zeros(result));
        let tangents: Vec<Arr> = tangents.collect();
        let zeros = self.b.close(&tangents);
        body.lets.extend(zeros.lets);
        Ok(zeros.results)
    }

    fn block(&mut self, block: &mut AccBlock<Labelled>) -> Result<(), AdError> {
        let mut lets = vec![];
        for mut let_ in std::mem::take(&mut block.lets) {
            self.b.set_loc(let_.loc);
            let is_active = let_
                .binds
                .iter()
                .any(|bind| self.activity.is_active(bind.name));
            self.b.open();
            let more = if is_active {
                self.let_(&mut let_)?
            } else {
                vec![]
            };
            lets.extend(self.b.close(&[]).lets);
            lets.push(let_);
            lets.extend(more);
        }
        block.lets = lets;
        Ok(())
    }

    fn is_active(&self, array: ArrId) -> bool {
        self.activity.is_active(array)
    }

    fn arr(&self, name: ArrId) -> Arr {
        let scalar = ArrayType::new(cotangent_core::types::ScalarType::F64, 0);
        Arr::new(name, self.types.get(&name).copied().unwrap_or(scalar))
    }

    /// The tangent of an array, zeros for one without.
    fn tangent_or_zeros(&mut self, array: ArrId) -> Arr {
        let like = self.arr(array);
        match self.tangents.get(&array) {
            Some(&tangent) => Arr::new(tangent, like.ty),
            None => self.b.fill_like(&like, Const::zero(like.ty.elem)),
        }
    }

    /// A tangent of `of`, bound by nothing yet.
    fn fresh_tangent(&mut self, of: &Arr) -> Arr {
        let tangent = self.b.fresh(of.ty);
        self.types.insert(tangent.name, tangent.ty);
        self.shapes.like(&tangent, of.name);
        self.tangents.insert(of.name, tangent.name);
        tangent
    }

    /// Binds tangents of the results that are active.
    fn bind(&mut self, binds: &mut Vec<Arr>) {
        for bind in binds.clone() {
            if self.is_active(bind.name) {
                binds.push(self.fresh_tangent(&bind));
            }
        }
    }

    /// Gives a let tangents; pushes what has to come before it, gives what has to come after.
    fn let_(&mut self, let_: &mut AccLet<Labelled>) -> Result<Vec<AccLet<Labelled>>, AdError> {
        let flags = self.activity.flags(&names(&let_.binds));
        let after = match &mut let_.op {
            AccOp::Use(_) | AccOp::Argsort { .. } | AccOp::Derivative { .. } => vec![],
            AccOp::FoldSegments { .. } => return Err(AdError::segments_left()),
            AccOp::Generate { shape: _, f } => {
                *f = self.function(f, (&[], &flags));
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Map { f, args } => {
                let active = self.activity.flags(args);
                *f = self.function(f, (&active, &flags));
                self.add_tangents(args, &active);
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Fold { f, init, args } => {
                self.reduction((f, init.as_mut()), args, &flags);
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Scan { f, init, args, .. } => {
                self.reduction((f, init.as_mut()), args, &flags);
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Permute { defaults, args, .. } => {
                self.add_tangents(defaults, &flags);
                self.add_tangents(args, &flags);
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Move { .. } | AccOp::Unpack { .. } | AccOp::Append { .. } => self.moved(let_),
            AccOp::Cond { then_, else_, .. } => {
                for branch in [then_, else_] {
                    self.inner(branch, &flags)?;
                }
                self.bind(&mut let_.binds);
                vec![]
            }
            AccOp::Custom { .. } => self.custom(let_)?,
            AccOp::Loop {
                trips: _,
                test,
                step,
                states,
                args,
            } => {
                // There is no way back for tangents.
                if let States::Inverse(_) = states {
                    *states = States::Stored;
                }
                self.state((test.as_mut(), step), args, &flags[1..])?;
                self.bind(&mut let_.binds);
                vec![]
            }
        };
        Ok(after)
    }

    /// The tangents that a rule makes.
    fn custom(&mut self, let_: &AccLet<Labelled>) -> Result<Vec<AccLet<Labelled>>, AdError> {
        let AccOp::Custom {
            values,
            rules,
            args,
        } = &let_.op
        else {
            return Err(AdError::Bug("not an operation with rules".to_owned()));
        };
        let loc = let_.loc;
        let jvp = rules.jvp().ok_or(AdError::NoForwardRule { loc })?;
        self.b.open();
        let inputs = args.iter().skip(*values);
        let tangents: Vec<Arr> = inputs.map(|&x| self.tangent_or_zeros(x)).collect();
        let block = inlined(self.b, jvp, &[&let_.binds[..], &tangents].concat());
        let bindings = block.bindings().map(|bind| (bind.name, bind.ty));
        self.types.extend(bindings);
        self.shapes.block(&block);
        block
            .lets
            .into_iter()
            .for_each(|let_| self.b.push_let(let_));
        for (bind, made) in let_.binds.iter().zip(block.results) {
            if self.is_active(bind.name) {
                let tangent = fitted(self.b, self.shapes, bind, made);
                self.tangents.insert(bind.name, tangent.name);
            }
        }
        Ok(self.b.close(&[]).lets)
    }

    /// A function with tangents: after the parameters, those of the active ones, and after the results as well.
    fn function(&self, f: &Fun<Labelled>, flags: (&[bool], &[bool])) -> Fun<Labelled> {
        with_tangents(f, flags, |a| self.tangents.get(&a).copied(), self.form)
    }

    /// Appends the tangents of some arrays.
    fn add_tangents(&mut self, arrays: &mut Vec<ArrId>, which: &[bool]) {
        for (at, _) in which.iter().enumerate().filter(|(_, which)| **which) {
            arrays.push(self.tangent_or_zeros(arrays[at]).name);
        }
    }

    /// A fold or scan of values and tangents.
    fn reduction(
        &mut self,
        (f, init): (&mut Fun<Labelled>, Option<&mut Fun<Labelled>>),
        args: &mut Vec<ArrId>,
        flags: &[bool],
    ) {
        let k = args.len();
        *f = self.function(f, (&[flags, flags].concat(), flags));
        // From (x, y, tangents of x, tangents of y) to (x, tangents of x, y, tangents of y).
        let added = f.params.len() / 2 - k;
        let tangents_of_left: Vec<_> = f.params.drain(2 * k..2 * k + added).collect();
        f.params.splice(k..k, tangents_of_left);
        if let Some(init) = init {
            *init = self.function(init, (&[], flags));
        }
        self.add_tangents(args, flags);
    }

    /// The same operation on tangents: it moves elements only.
    fn moved(&mut self, let_: &AccLet<Labelled>) -> Vec<AccLet<Labelled>> {
        let mut again = let_.clone();
        let mut tangents = ArrMap::new();
        for array in let_.op.clone().arguments() {
            tangents.insert(array, self.tangent_or_zeros(array).name);
        }
        for array in again.op.arguments_mut() {
            *array = tangents.get(array).copied().unwrap_or(*array);
        }
        again.binds = let_
            .binds
            .iter()
            .map(|bind| self.fresh_tangent(bind))
            .collect();
        vec![again]
    }

    /// A block inside, with the tangents of the chosen results after them.
    fn inner(&mut self, block: &mut AccBlock<Labelled>, which: &[bool]) -> Result<(), AdError> {
        self.block(block)?;
        self.b.open();
        self.add_tangents(&mut block.results, which);
        block.lets.extend(self.b.close(&[]).lets);
        Ok(())
    }

    /// Makes a loop carry tangents.
    fn state(
        &mut self,
        (test, step): (Option<&mut AccClosure<Labelled>>, &mut AccClosure<Labelled>),
        args: &mut Vec<ArrId>,
        flags: &[bool],
    ) -> Result<(), AdError> {
        self.add_tangents(args, flags);
        let state = step.params[1..].to_vec();
        let active = state.iter().zip(flags).filter(|(_, active)| **active);
        for (param, _) in active {
            let tangent = self.fresh_tangent(param);
            step.params.push(tangent.clone());
        }
        if let Some(test) = test {
            let added = step.params[state.len() + 1..].iter();
            let added: Vec<Arr> = added.map(|param| self.b.fresh(param.ty)).collect();
            test.params.extend(added);
        }
        self.inner(&mut step.body, flags)
    }
}

fn names(arrays: &[Arr]) -> Vec<ArrId> {
    arrays.iter().map(|array| array.name).collect()
}
