//! The dual of a scalar conditional: a conditional of duals.
//!
//! The dual of a branch is built first; what it turns out to need of the primal branch, the primal
//! conditional then exports as further results, zero where the other branch is taken. Constants are
//! repeated instead.

use super::guard::Origin;
use super::reverse::{Record, Reverse, bug};
use crate::error::AdError;
use crate::rename::{ExpMap, renaming};
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The dual of one branch: its code, without results as yet, and what it found.
struct Branch {
    block: ExpBlock<Labelled>,
    adjoints: BTreeMap<ExpId, ExpId>,
    records: Vec<Record>,
}

impl Reverse<'_> {
    /// Pushes the dual of a conditional whose results have the given adjoints.
    pub(super) fn cond(
        &mut self,
        let_: &mut ExpLet<Labelled>,
        adjoints: &[Option<ExpId>],
    ) -> Result<(), AdError> {
        let loc = let_.loc;
        let ExpOp::Cond { cond, then_, else_ } = &mut let_.op else {
            return Err(bug("not a conditional"));
        };
        let condition = *cond;
        let mut then_dual = self.branch(then_, adjoints)?;
        let mut else_dual = self.branch(else_, adjoints)?;
        self.b.set_loc(loc);
        let outer = self.join(&mut then_dual, &mut else_dual);
        export(
            self.b,
            &mut let_.binds,
            (then_, else_),
            &mut then_dual.block,
        );
        export(
            self.b,
            &mut let_.binds,
            (else_, then_),
            &mut else_dual.block,
        );
        self.push(condition, then_dual.block, else_dual.block, outer);
        Ok(())
    }

    /// The dual of one branch. Its adjoints and records start afresh.
    fn branch(
        &mut self,
        primal: &mut ExpBlock<Labelled>,
        adjoints: &[Option<ExpId>],
    ) -> Result<Branch, AdError> {
        let outer_adjoints = std::mem::take(&mut self.adjoints);
        let outer_records = std::mem::take(&mut self.records);
        self.b.open();
        for (&result, adjoint) in primal.results.iter().zip(adjoints) {
            if let Some(result_adj) = *adjoint {
                self.contribute(result, result_adj, self.origin(result_adj));
            }
        }
        self.walk(primal)?;
        Ok(Branch {
            block: self.b.close(vec![]),
            adjoints: std::mem::replace(&mut self.adjoints, outer_adjoints),
            records: std::mem::replace(&mut self.records, outer_records),
        })
    }

    /// Gives both branches the same results; says what they are.
    fn join(&mut self, then_: &mut Branch, else_: &mut Branch) -> Joined {
        let keys: BTreeSet<_> = then_.adjoints.keys().chain(else_.adjoints.keys()).collect();
        let adjoints: Vec<_> = keys.into_iter().copied().collect();
        for &x in &adjoints {
            let zero = self.b.constant(Const::zero(self.b.type_of(x)));
            for branch in [&mut *then_, &mut *else_] {
                let x_adj = branch.adjoints.get(&x).copied();
                branch.block.results.push(x_adj.unwrap_or(zero));
            }
        }
        let mut records = self.join_records(&then_.records, &mut then_.block, &mut else_.block);
        records.extend(self.join_records(&else_.records, &mut else_.block, &mut then_.block));
        Joined { adjoints, records }
    }

    /// Makes what one branch recorded into results of both.
    fn join_records(
        &mut self,
        records: &[Record],
        taken: &mut ExpBlock<Labelled>,
        other: &mut ExpBlock<Labelled>,
    ) -> Vec<Record> {
        for record in records {
            let executed = match record.executed {
                Some(executed) => executed,
                None => self.b.constant(true),
            };
            let values = [executed, record.element_adj];
            for x in values.into_iter().chain(record.index.iter().copied()) {
                taken.results.push(x);
                let zero = self.b.constant(Const::zero(self.b.type_of(x)));
                other.results.push(zero);
            }
        }
        records.to_vec()
    }

    /// Pushes the dual conditional and passes on what it gives.
    fn push(
        &mut self,
        cond: ExpId,
        then_: ExpBlock<Labelled>,
        else_: ExpBlock<Labelled>,
        joined: Joined,
    ) {
        let types: Vec<ScalarType> = then_.results.iter().map(|&x| self.b.type_of(x)).collect();
        if types.is_empty() {
            return;
        }
        let mut results = self
            .b
            .push(ExpOp::Cond { cond, then_, else_ }, &types)
            .into_iter();
        for (&x, x_adj) in joined.adjoints.iter().zip(results.by_ref()) {
            self.contribute(x, x_adj, Origin::Cut);
        }
        for mut record in joined.records {
            record.executed = results.next();
            if let Some(element_adj) = results.next() {
                record.element_adj = element_adj;
            }
            record.index = results.by_ref().take(record.index.len()).collect();
            self.records.push(record);
        }
    }
}

/// What the results of a dual conditional stand for.
struct Joined {
    /// First, the adjoints of these scalars.
    adjoints: Vec<ExpId>,
    /// Then of each record: executed, adjoint, coordinates.
    records: Vec<Record>,
}

/// Makes the primal conditional export what `dual`, the dual of its branch `taken`, uses of it.
fn export(
    b: &mut FunBuilder,
    binds: &mut Vec<ExpBind<Labelled>>,
    (taken, other): (&mut ExpBlock<Labelled>, &mut ExpBlock<Labelled>),
    dual: &mut ExpBlock<Labelled>,
) {
    let bound = bindings(taken);
    let used: BTreeSet<ExpId> = dual.reads().collect();
    let mut map = ExpMap::new();
    for x in used {
        let new = match bound.get(&x) {
            Some((_, Some(constant))) => b.constant(*constant),
            Some((ty, None)) => {
                let exported = b.fresh(*ty);
                binds.push(exported.clone());
                taken.results.push(x);
                let zero = push_zero(b, other, *ty);
                other.results.push(zero);
                exported.name
            }
            None => continue,
        };
        map.insert(x, new);
    }
    dual.rename(&renaming(&map));
}

/// What a block itself binds, with its type, and its value where that is a literal.
fn bindings(block: &ExpBlock<Labelled>) -> HashMap<ExpId, (ScalarType, Option<Const>)> {
    let mut bound = HashMap::new();
    for ExpLet { binds, op, loc: _ } in &block.lets {
        bound.extend(binds.iter().map(|b| (b.name, (b.ty, op.as_const()))));
    }
    bound
}

/// Appends a zero to a block that is closed.
fn push_zero(b: &mut FunBuilder, block: &mut ExpBlock<Labelled>, ty: ScalarType) -> ExpId {
    b.open();
    let zero = b.constant(Const::zero(ty));
    block.lets.extend(b.close(vec![]).lets);
    zero
}
