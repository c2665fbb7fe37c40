//! The builder of scalar functions.

use super::Arr;
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{
    ArrId, ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled, MapExp, Slot,
};
use crate::types::ScalarType;
use std::collections::HashMap;

/// A scalar function under construction.
///
/// ```
/// use cotangent_core::{build::FunBuilder, prim::Prim, types::ScalarType};
/// let mut b = FunBuilder::new();
/// let x = b.param(ScalarType::F64);
/// let y = b.prim(Prim::Mul, &[x, x]);
/// let square = b.finish(vec![y]);
/// assert_eq!(square.body.lets.len(), 1);
/// assert_eq!(square.result_types(), [ScalarType::F64]);
/// ```
#[derive(Debug)]
pub struct FunBuilder {
    types: Vec<ScalarType>,
    captures: Vec<ArrId>,
    params: Vec<ExpBind<Labelled>>,
    finished_outer: Vec<Vec<ExpLet<Labelled>>>,
    current: Vec<ExpLet<Labelled>>,
    loc: Loc,
}

impl Default for FunBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl FunBuilder {
    /// An empty function.
    pub fn new() -> Self {
        Self {
            types: vec![],
            captures: vec![],
            params: vec![],
            finished_outer: vec![],
            current: vec![],
            loc: Loc::UNKNOWN,
        }
    }

    /// What is pushed from now on carries this location.
    pub fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// A fresh label of type `ty`, bound by nothing yet.
    pub fn fresh(&mut self, ty: ScalarType) -> ExpBind<Labelled> {
        self.types.push(ty);
        ExpBind {
            name: ExpId(self.types.len() as u32 - 1),
            ty,
        }
    }

    /// One more parameter.
    pub fn param(&mut self, ty: ScalarType) -> ExpId {
        let bind = self.fresh(ty);
        let name = bind.name;
        self.params.push(bind);
        name
    }

    /// One more parameter of each of the given types.
    pub fn params(&mut self, types: &[ScalarType]) -> Vec<ExpId> {
        types.iter().map(|&ty| self.param(ty)).collect()
    }

    /// The type of a label of this builder.
    pub fn type_of(&self, x: ExpId) -> ScalarType {
        self.types[x.0 as usize]
    }

    /// Pushes an operation with results of the given types.
    pub fn push(&mut self, op: ExpOp<Labelled>, types: &[ScalarType]) -> Vec<ExpId> {
        let binds: Vec<_> = types.iter().map(|&ty| self.fresh(ty)).collect();
        let names = binds.iter().map(|b| b.name).collect();
        self.current.push(ExpLet {
            binds,
            op,
            loc: self.loc,
        });
        names
    }

    fn push_one(&mut self, op: ExpOp<Labelled>, ty: ScalarType) -> ExpId {
        self.push(op, &[ty])[0]
    }

    /// A literal.
    pub fn constant(&mut self, value: impl Into<Const>) -> ExpId {
        let value = value.into();
        self.push_one(ExpOp::Const(value), value.scalar_type())
    }

    /// The small integer `value` as a literal of type `ty`.
    pub fn small(&mut self, ty: ScalarType, value: i32) -> ExpId {
        self.constant(Const::small(ty, value))
    }

    /// A primitive.
    pub fn prim(&mut self, op: Prim, operands: &[ExpId]) -> ExpId {
        let types: Vec<_> = operands.iter().map(|&x| self.type_of(x)).collect();
        let guess = types.last().copied().unwrap_or(ScalarType::I32);
        let ty = op.result_type(&types).unwrap_or(guess);
        self.push_one(ExpOp::Prim(op, operands.to_vec()), ty)
    }

    /// The position of `array` in the capture list, entered there if need be.
    pub fn capture(&mut self, array: ArrId) -> Slot {
        let known = self.captures.iter().position(|&a| a == array);
        let slot = known.unwrap_or_else(|| {
            self.captures.push(array);
            self.captures.len() - 1
        });
        Slot(slot as u32)
    }

    /// The element of `array` at `index`.
    pub fn index(&mut self, array: &Arr, index: &[ExpId]) -> ExpId {
        let slot = self.capture(array.name);
        self.push_one(
            ExpOp::Index {
                array: slot,
                index: index.to_vec(),
            },
            array.ty.elem,
        )
    }

    /// One extent of `array`.
    pub fn extent(&mut self, array: ArrId, axis: usize) -> ExpId {
        let slot = self.capture(array);
        self.push_one(ExpOp::Extent { array: slot, axis }, ScalarType::I32)
    }

    /// All extents of `array`.
    pub fn shape(&mut self, array: &Arr) -> Vec<ExpId> {
        (0..array.ty.rank)
            .map(|axis| self.extent(array.name, axis))
            .collect()
    }

    /// A conditional; both branches give the same number and types of results.
    pub fn cond(
        &mut self,
        cond: ExpId,
        then_: impl FnOnce(&mut Self) -> Vec<ExpId>,
        else_: impl FnOnce(&mut Self) -> Vec<ExpId>,
    ) -> Vec<ExpId> {
        let loc = self.loc;
        let then_ = self.block(then_);
        let else_ = self.block(else_);
        self.set_loc(loc);
        let types: Vec<_> = then_.results.iter().map(|&x| self.type_of(x)).collect();
        self.push(ExpOp::Cond { cond, then_, else_ }, &types)
    }

    /// A loop: `args` are the most trips and the first state; `test` and `step` are [closures](Self::closure) that are
    /// given the number of a trip and the state. Gives the number of trips made and the last state.
    ///
    /// ```
    /// use cotangent_core::{build::FunBuilder, prim::Prim, types::ScalarType};
    /// let mut b = FunBuilder::new();
    /// let (n, x) = (b.param(ScalarType::I32), b.param(ScalarType::F64));
    /// let square = |b: &mut FunBuilder, args: &[_]| vec![b.prim(Prim::Mul, &[args[1], args[1]])];
    /// let step = b.closure(&[ScalarType::I32, ScalarType::F64], square);
    /// let power = b.loop_(&[n, x], None, step);
    /// assert_eq!(b.finish(power).result_types(), [ScalarType::I32, ScalarType::F64]);
    /// ```
    pub fn loop_(
        &mut self,
        args: &[ExpId],
        test: Option<ExpClosure<Labelled>>,
        step: ExpClosure<Labelled>,
    ) -> Vec<ExpId> {
        let types: Vec<_> = args.iter().map(|&x| self.type_of(x)).collect();
        let args = args.to_vec();
        self.push(ExpOp::Loop { test, step, args }, &types)
    }

    /// A block with parameters of the given types.
    pub fn closure(
        &mut self,
        types: &[ScalarType],
        body: impl FnOnce(&mut Self, &[ExpId]) -> Vec<ExpId>,
    ) -> ExpClosure<Labelled> {
        let params: Vec<_> = types.iter().map(|&ty| self.fresh(ty)).collect();
        let names: Vec<_> = params.iter().map(|p| p.name).collect();
        let loc = self.loc;
        let body = self.block(|b| body(b, &names));
        self.set_loc(loc);
        ExpClosure { params, body }
    }

    /// A nested block, to be put into an operation.
    pub fn block(&mut self, body: impl FnOnce(&mut Self) -> Vec<ExpId>) -> ExpBlock<Labelled> {
        self.open();
        let results = body(self);
        self.close(results)
    }

    /// Begins a nested block: what is pushed goes there until [`close`](Self::close).
    pub fn open(&mut self) {
        self.finished_outer.push(std::mem::take(&mut self.current));
    }

    /// Ends the block begun last.
    pub fn close(&mut self, results: Vec<ExpId>) -> ExpBlock<Labelled> {
        let outer = self.finished_outer.pop().unwrap_or_default();
        ExpBlock {
            lets: std::mem::replace(&mut self.current, outer),
            results,
        }
    }

    /// Copies the body of `fun`, applied to `args`, with fresh labels; gives its results.
    pub fn inline(&mut self, fun: &Fun<Labelled>, args: &[ExpId]) -> Vec<ExpId> {
        let slots: Vec<_> = fun.captures.iter().map(|&a| self.capture(a)).collect();
        let names = fun
            .params
            .iter()
            .map(|p| p.name)
            .zip(args.iter().copied())
            .collect();
        let mut copy = Copier {
            builder: self,
            slots,
            names,
        };
        copy.lets(&fun.body.lets);
        fun.body.results.iter().map(|&x| copy.name(x)).collect()
    }

    /// The function with the given results.
    pub fn finish(self, results: Vec<ExpId>) -> Fun<Labelled> {
        Fun {
            captures: self.captures,
            params: self.params,
            body: ExpBlock {
                lets: self.current,
                results,
            },
        }
    }
}

/// Copies code of another function, renaming as it goes.
struct Copier<'a> {
    builder: &'a mut FunBuilder,
    slots: Vec<Slot>,
    names: HashMap<ExpId, ExpId>,
}

impl Copier<'_> {
    fn name(&self, x: ExpId) -> ExpId {
        self.names.get(&x).copied().unwrap_or(x)
    }

    fn bind(&mut self, binds: &[ExpBind<Labelled>]) -> Vec<ExpBind<Labelled>> {
        let fresh = |b: &ExpBind<Labelled>| {
            let new = self.builder.fresh(b.ty);
            self.names.insert(b.name, new.name);
            new
        };
        binds.iter().map(fresh).collect()
    }

    fn lets(&mut self, lets: &[ExpLet<Labelled>]) {
        for ExpLet { binds, op, loc } in lets {
            let op = op.map(self);
            let binds = self.bind(binds);
            self.builder.current.push(ExpLet {
                binds,
                op,
                loc: *loc,
            });
        }
    }
}

impl MapExp<Labelled, Labelled> for Copier<'_> {
    fn exp(&mut self, x: ExpId) -> ExpId {
        self.name(x)
    }

    fn slot(&mut self, slot: Slot) -> Slot {
        self.slots[slot.0 as usize]
    }

    fn block(
        &mut self,
        binds: &[ExpBind<Labelled>],
        block: &ExpBlock<Labelled>,
    ) -> (Vec<ExpBind<Labelled>>, ExpBlock<Labelled>) {
        let binds = self.bind(binds);
        self.builder.open();
        self.lets(&block.lets);
        let results = block.results.iter().map(|&x| self.name(x)).collect();
        (binds, self.builder.close(results))
    }
}

impl Fun<Labelled> {
    /// The types of the results; a result that is bound nowhere counts as `i32`.
    pub fn result_types(&self) -> Vec<ScalarType> {
        let lets = self.body.lets.iter().flat_map(|l| &l.binds);
        let types: HashMap<_, _> = self
            .params
            .iter()
            .chain(lets)
            .map(|b| (b.name, b.ty))
            .collect();
        let type_of = |x| types.get(x).copied().unwrap_or(ScalarType::I32);
        self.body.results.iter().map(type_of).collect()
    }

    /// The constant that it gives as a result, whatever its arguments are.
    pub fn constant_result(&self, result: usize) -> Option<Const> {
        let x = *self.body.results.get(result)?;
        let mut lets = self.body.lets.iter();
        let definition = lets.find(|l| l.binds.iter().any(|b| b.name == x))?;
        definition.op.as_const()
    }

    /// Whether the first result is seen to be at most a number: one of some literals, chosen by whatever it may be.
    ///
    /// ```
    /// use cotangent_core::build::FunBuilder;
    /// use cotangent_core::prim::Prim;
    /// use cotangent_core::types::ScalarType;
    ///
    /// let mut b = FunBuilder::new();
    /// let taken = b.param(ScalarType::Bool);
    /// let (one, none) = (b.constant(1), b.constant(0));
    /// let trips = b.prim(Prim::Select, &[taken, one, none]);
    /// let trips = b.finish(vec![trips]);
    /// assert!(trips.is_at_most(1) && !trips.is_at_most(0));
    /// ```
    pub fn is_at_most(&self, most: i32) -> bool {
        let mut known: Vec<ExpId> = vec![];
        for let_ in &self.body.lets {
            let is_known = match &let_.op {
                ExpOp::Const(n) => n.as_i32().is_some_and(|n| n <= most),
                ExpOp::Prim(Prim::Select, operands) => {
                    operands[1..].iter().all(|x| known.contains(x))
                }
                ExpOp::Prim(Prim::Max, operands) => operands.iter().all(|x| known.contains(x)),
                ExpOp::Prim(Prim::Min, operands) => operands.iter().any(|x| known.contains(x)),
                ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => false,
                ExpOp::Cond { .. } | ExpOp::Loop { .. } => false,
                ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
            };
            if is_known {
                known.push(let_.binds[0].name);
            }
        }
        let result = self.body.results.first();
        result.is_some_and(|result| known.contains(result))
    }

    /// The extents of an array with all dimensions from `first` on merged into one.
    pub fn merged(array: &Arr, first: usize) -> Self {
        let mut b = FunBuilder::new();
        let mut extents = b.shape(array);
        let mut size = b.constant(1i32);
        for extent in extents.split_off(first) {
            size = b.prim(Prim::Mul, &[size, extent]);
        }
        extents.push(size);
        b.finish(extents)
    }

    /// A function without parameters that gives constants.
    pub fn constants(values: &[Const]) -> Self {
        let mut b = FunBuilder::new();
        let results = values.iter().map(|&c| b.constant(c)).collect();
        b.finish(results)
    }

    /// The function that gives its arguments, of the given types.
    pub fn identity(types: &[ScalarType]) -> Self {
        let mut b = FunBuilder::new();
        let results = b.params(types);
        b.finish(results)
    }

    /// A primitive as a function of its operands.
    pub fn prim(op: Prim, operands: &[ScalarType]) -> Self {
        let mut b = FunBuilder::new();
        let xs = b.params(operands);
        let y = b.prim(op, &xs);
        b.finish(vec![y])
    }

    /// A function without parameters that gives the shape of `array`.
    pub fn shape_of(array: &Arr) -> Self {
        let mut b = FunBuilder::new();
        let shape = b.shape(array);
        b.finish(shape)
    }
}
