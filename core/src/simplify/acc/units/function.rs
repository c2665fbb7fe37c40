//! Functions whose results are zero unless coordinates are equal to something.

use crate::analysis::cost;
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ArrId, ExpId, ExpOp, Fun, Labelled};
use crate::types::{ArrayType, ScalarType};
use std::collections::{HashMap, HashSet};

/// A unit has at most this many operations: so many may be computed where an element is read, in place of a load.
const MAX_UNIT_OPERATIONS: usize = 32;

/// A function, by its variables, those of inner blocks included.
pub(super) struct Unit<'a> {
    f: &'a Fun<Labelled>,
    /// Operations, and which of their results a variable is.
    definitions: HashMap<ExpId, (&'a ExpOp<Labelled>, usize)>,
}

/// What a result of a unit is.
pub(super) enum Value {
    /// A sum, or a difference, or a negation.
    Of(Prim, Vec<ExpId>),
    /// A value where conditions hold, else zero.
    Where(Vec<ExpId>, ExpId),
}

/// Whether a result of a function is zero unless coordinates are equal to something.
pub(in crate::simplify::acc) fn is_unit(f: &Fun<Labelled>, column: usize) -> bool {
    if cost::operations(f) > MAX_UNIT_OPERATIONS {
        return false;
    }
    let unit = Unit::of(f);
    unit.is_unit(f.body.results[column])
}

/// The function for one of its results.
pub(super) fn of_result(f: &Fun<Labelled>, column: usize) -> Fun<Labelled> {
    let mut f = f.clone();
    f.body.results = vec![f.body.results[column]];
    f
}

impl<'a> Unit<'a> {
    pub fn of(f: &'a Fun<Labelled>) -> Self {
        let mut definitions = HashMap::new();
        for let_ in f.body.all_lets() {
            let names = let_.binds.iter().map(|bind| bind.name).enumerate();
            definitions.extend(names.map(|(column, name)| (name, (&let_.op, column))));
        }
        Self { f, definitions }
    }

    pub fn definition(&self, x: ExpId) -> Option<&'a ExpOp<Labelled>> {
        Some(self.definitions.get(&x)?.0)
    }

    fn is_unit(&self, x: ExpId) -> bool {
        match self.value(x) {
            Some(Value::Of(_, operands)) => operands.iter().all(|&x| self.is_unit(x)),
            Some(Value::Where(conditions, _)) => {
                let params = self.f.params.iter().map(|p| p.name);
                let params: HashSet<ExpId> = params.collect();
                let mut equal = conditions.iter().filter_map(|&c| self.equal(c));
                equal.any(|(x, y)| params.contains(&x) || params.contains(&y))
            }
            None => false,
        }
    }

    /// What a result is, if it may be one of a unit.
    pub fn value(&self, x: ExpId) -> Option<Value> {
        if let ExpOp::Prim(op @ (Prim::Add | Prim::Sub | Prim::Neg), operands) =
            self.definition(x)?
        {
            return Some(Value::Of(*op, operands.clone()));
        }
        let (mut conditions, mut inside) = (vec![], x);
        while let Some((c, then_)) = self.nonzero_where(inside) {
            self.conjuncts(c, &mut conditions);
            inside = then_;
        }
        (inside != x).then_some(Value::Where(conditions, inside))
    }

    /// A condition without which a variable is zero, and what it is where that holds.
    fn nonzero_where(&self, x: ExpId) -> Option<(ExpId, ExpId)> {
        let &(op, column) = self.definitions.get(&x)?;
        let (c, then_, else_) = match op {
            ExpOp::Prim(Prim::Select, operands) => match operands[..] {
                [c, then_, else_] => (c, then_, else_),
                [..] => return None,
            },
            ExpOp::Cond { cond, then_, else_ } => {
                (*cond, then_.results[column], else_.results[column])
            }
            ExpOp::Prim(..)
            | ExpOp::Const(_)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => return None,
        };
        self.is_zero(else_).then_some((c, then_))
    }

    /// Pushes code for a position, given what takes the place of the parameters; none if that reads elements of arrays, which may
    /// be there under a condition only.
    pub fn position(&self, b: &mut FunBuilder, x: ExpId, args: &[ExpId]) -> Option<ExpId> {
        if let Some(k) = self.f.params.iter().position(|param| param.name == x) {
            return args.get(k).copied();
        }
        match self.definition(x)? {
            ExpOp::Const(c) => Some(b.constant(*c)),
            ExpOp::Extent { array, axis } => {
                Some(b.extent(self.f.captures[array.0 as usize], *axis))
            }
            ExpOp::Prim(op, operands) => {
                let mut given = vec![];
                for &operand in operands {
                    given.push(self.position(b, operand, args)?);
                }
                Some(b.prim(*op, &given))
            }
            ExpOp::Index { array, index } if index.is_empty() => {
                let ty = ArrayType::new(ScalarType::I32, 0);
                let array = Arr::new(self.f.captures[array.0 as usize], ty);
                Some(b.index(&array, &[]))
            }
            ExpOp::Index { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }

    fn is_zero(&self, x: ExpId) -> bool {
        let literal = self.definition(x).and_then(ExpOp::as_const);
        literal.is_some_and(Const::is_zero)
    }

    /// The conditions that one says hold.
    fn conjuncts(&self, c: ExpId, all: &mut Vec<ExpId>) {
        match self.definition(c).and_then(|op| op.operands_of(Prim::And)) {
            Some(operands) => operands.iter().for_each(|&c| self.conjuncts(c, all)),
            None => all.push(c),
        }
    }

    /// The two integers that a condition says are equal.
    pub fn equal(&self, c: ExpId) -> Option<(ExpId, ExpId)> {
        let &[x, y] = self.definition(c)?.operands_of(Prim::Eq)? else {
            return None;
        };
        (self.is_position(x) && self.is_position(y)).then_some((x, y))
    }

    fn is_position(&self, x: ExpId) -> bool {
        let mut bound = self.f.params.iter().chain(self.f.body.bindings());
        bound.any(|bind| bind.name == x && bind.ty == ScalarType::I32)
    }

    /// Whether a variable depends on another one.
    pub fn depends(&self, x: ExpId, on: ExpId) -> bool {
        let mut pending = vec![x];
        let mut seen = HashSet::new();
        while let Some(x) = pending.pop() {
            if x == on {
                return true;
            }
            if seen.insert(x) {
                pending.extend(self.definition(x).into_iter().flat_map(ExpOp::reads));
            }
        }
        false
    }

    /// Whether an array is read for a variable.
    pub fn reads_arrays(&self, x: ExpId) -> bool {
        let mut pending = vec![x];
        let mut seen = HashSet::new();
        while let Some(x) = pending.pop() {
            let Some(op) = self.definition(x).filter(|_| seen.insert(x)) else {
                continue;
            };
            let blocks = op.blocks();
            let mut inside = blocks.iter().flat_map(|inner| inner.block.all_lets());
            if reads_element(op) || inside.any(|let_| reads_element(&let_.op)) {
                return true;
            }
            pending.extend(op.reads());
        }
        false
    }

    /// The capture whose only element a variable is.
    pub fn scalar(&self, x: ExpId) -> Option<ArrId> {
        match self.definition(x)? {
            ExpOp::Index { array, index } if index.is_empty() => {
                Some(self.f.captures[array.0 as usize])
            }
            ExpOp::Index { .. }
            | ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }
}

/// Whether an operation reads an element of an array that has dimensions.
fn reads_element(op: &ExpOp<Labelled>) -> bool {
    match op {
        ExpOp::Index { array: _, index } => !index.is_empty(),
        ExpOp::Const(_)
        | ExpOp::Prim(..)
        | ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => false,
    }
}
