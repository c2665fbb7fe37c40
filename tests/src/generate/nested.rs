//! Random scalar code with more in it than primitives: arrays, conditionals, gradients.

use super::faults::FEW;
use super::scalars::{LIMIT, Scalars, Var};
use super::scope::Known;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBlock, ExpOp, Labelled, Mode};
use cotangent_core::types::ScalarType::{self, Bool, I32};

/// In how many percent of the gradients there is another one.
const SECOND: usize = 33;

/// A block and what is known of its results.
pub(super) type Branch = (ExpBlock<Labelled>, Vec<Var>);

impl Scalars<'_> {
    /// An element of an array: in range, guarded, or (rarely) neither.
    pub(super) fn index(&mut self) {
        let scope = self.scope;
        let empty = self.faulty(FEW);
        let usable = |k: &&Known| (empty || !k.is_empty()) && (!self.smooth || k.is_bounded());
        let usable: Vec<_> = scope.iter().filter(usable).collect();
        if usable.is_empty() {
            return;
        }
        let array = usable[self.random.late(usable.len())];
        let wrong = if self.careless { FEW } else { 0 };
        let choices = [(70, 0), (27, 1), (3, 2), (wrong, 3)];
        match self.random.weighted(&choices) {
            0 => {
                let index = self.in_range(array);
                self.element(array, &index);
            }
            1 => self.guarded(array),
            3 => {
                let axes = 0..array.arr.ty.rank;
                let index: Vec<_> = axes.map(|axis| self.wrong_position(array, axis)).collect();
                self.element(array, &index);
            }
            _ => {
                let index = self.anywhere(array);
                self.element(array, &index);
            }
        }
    }

    /// Some index, in range or not.
    fn anywhere(&mut self, array: &Known) -> Vec<Var> {
        (0..array.arr.ty.rank).map(|_| self.exact(I32)).collect()
    }

    /// An index in range, where the array is not empty.
    pub(super) fn in_range(&mut self, array: &Known) -> Vec<Var> {
        let index = self.anywhere(array);
        let axes = index.iter().enumerate();
        axes.map(|(axis, &i)| {
            let extent = self.extent_of(array, axis);
            self.put(Prim::ModFloor, &[i, extent], 1000.0, true)
        })
        .collect()
    }

    /// One extent of an array.
    pub(super) fn extent_of(&mut self, array: &Known, axis: usize) -> Var {
        let id = self.b.extent(array.arr.name, axis);
        self.enter(id, true, 1000.0)
    }

    /// The element there.
    pub(super) fn element(&mut self, array: &Known, index: &[Var]) -> Var {
        let index: Vec<_> = index.iter().map(|v| v.id).collect();
        let id = self.b.index(&array.arr, &index);
        self.enter(id, array.exact, array.bound);
        self.activated(array.active)
    }

    /// An element if the index is in range, else a literal.
    fn guarded(&mut self, array: &Known) {
        let index = self.anywhere(array);
        let guard = self.within(array, &index);
        let then_ = self.block(|s| vec![s.element(array, &index)]);
        let else_ = self.block(|s| vec![s.literal(array.arr.ty.elem)]);
        self.put_cond(guard, then_, else_);
    }

    /// Whether an index is in range.
    pub(super) fn within(&mut self, array: &Known, index: &[Var]) -> Var {
        let mut guard = self.constant(true);
        for (axis, &i) in index.iter().enumerate() {
            let (extent, zero) = (self.extent_of(array, axis), self.constant(0));
            let above = self.put(Prim::Ge, &[i, zero], 1.0, true);
            let below = self.put(Prim::Lt, &[i, extent], 1.0, true);
            guard = self.put(Prim::And, &[guard, above], 1.0, true);
            guard = self.put(Prim::And, &[guard, below], 1.0, true);
        }
        guard
    }

    pub(super) fn extent(&mut self) {
        let measurable: Vec<_> = self.scope.iter().filter(|k| k.arr.ty.rank > 0).collect();
        if measurable.is_empty() {
            return;
        }
        let array = measurable[self.random.below(measurable.len())];
        let axis = self.random.below(array.arr.ty.rank);
        self.extent_of(array, axis);
    }

    /// A nested block; what it binds is out of scope after it.
    pub(super) fn block(&mut self, body: impl FnOnce(&mut Self) -> Vec<Var>) -> Branch {
        let outer = self.vars.clone();
        self.nesting += 1;
        self.b.open();
        let results = body(self);
        let block = self.b.close(results.iter().map(|v| v.id).collect());
        self.nesting -= 1;
        self.vars = outer;
        (block, results)
    }

    fn put_cond(&mut self, cond: Var, then_: Branch, else_: Branch) {
        let types: Vec<_> = then_.1.iter().map(|v| v.ty).collect();
        let op = ExpOp::Cond {
            cond: cond.id,
            then_: then_.0,
            else_: else_.0,
        };
        let ids = self.b.push(op, &types);
        for (id, (x, y)) in ids.into_iter().zip(then_.1.iter().zip(&else_.1)) {
            self.enter_if(
                id,
                x.exact && y.exact,
                x.bound.max(y.bound),
                x.number && y.number,
            );
            self.activated(x.active || y.active);
        }
    }

    /// A conditional with random branches.
    pub(super) fn cond(&mut self) {
        let cond = self.exact(Bool);
        let types: Vec<_> = (0..self.random.between(1, 2))
            .map(|_| self.any_type())
            .collect();
        let then_ = self.branch(&types);
        let else_ = self.branch(&types);
        self.put_cond(cond, then_, else_);
    }

    fn branch(&mut self, types: &[ScalarType]) -> Branch {
        self.block(|s| {
            let steps = s.random.between(1, 4);
            s.grow(steps);
            s.results(types)
        })
    }

    /// Variables of the given types, the later the likelier.
    pub(super) fn results(&mut self, types: &[ScalarType]) -> Vec<Var> {
        types.iter().map(|&ty| self.some(ty, |_| true)).collect()
    }

    /// The derivative of random code by one to three variables.
    pub(super) fn gradient(&mut self) {
        let ty = self.any_float();
        let mut args = vec![self.point(ty)];
        for _ in 0..self.random.weighted(&[(5, 0), (3, 1), (1, 2)]) {
            let ty = self.any_type();
            args.push(if ty.is_float() {
                self.point(ty)
            } else {
                self.exact(ty)
            });
        }
        let smooth = std::mem::replace(&mut self.smooth, true);
        let (params, body) = self.differentiated(ty, &args);
        self.smooth = smooth;
        let with_value = self.random.chance(40);
        self.put_gradient(with_value, params, body, &args);
    }

    /// A float that is small and no NaN.
    fn point(&mut self, ty: ScalarType) -> Var {
        let v = self.some(ty, |v| v.number);
        match v.number {
            false => self.float(ty, 0.75),
            true if v.bound <= 5.0 => v,
            true => self.squash(v, 5.0),
        }
    }

    fn differentiated(&mut self, ty: ScalarType, args: &[Var]) -> (Vec<Var>, Branch) {
        let mut params = vec![];
        let branch = self.block(|s| {
            // Derivatives see only bounded values.
            s.vars
                .retain(|v| (v.bound <= LIMIT && v.number) || !v.ty.is_float());
            for arg in args {
                let bind = s.b.fresh(arg.ty);
                s.enter(bind.name, arg.exact, arg.bound);
                params.push(s.activated(true));
            }
            let steps = s.random.between(2, 7);
            s.grow(steps);
            if s.nesting == 1 && s.random.chance(SECOND) {
                s.gradient();
                let steps = s.random.between(0, 2);
                s.grow(steps);
            }
            vec![s.dependent_result(ty)]
        });
        (params, branch)
    }

    /// The sum of some of the latest floats of that type.
    fn dependent_result(&mut self, ty: ScalarType) -> Var {
        let late: Vec<_> = self
            .vars
            .iter()
            .rev()
            .filter(|v| v.ty == ty)
            .take(2)
            .copied()
            .collect();
        match late[..] {
            [] => self.float(ty, 1.0),
            [x] => x,
            [x, y, ..] => {
                let (x, y) = (self.limited(x), self.limited(y));
                let exact = x.exact && y.exact;
                self.put(Prim::Add, &[x, y], x.bound + y.bound, exact)
            }
        }
    }

    fn limited(&mut self, v: Var) -> Var {
        if v.bound <= LIMIT {
            v
        } else {
            self.squash(v, 1.6)
        }
    }

    fn put_gradient(&mut self, with_value: bool, params: Vec<Var>, body: Branch, args: &[Var]) {
        let value = body.1.first().copied();
        let (mode, types): (Mode, Vec<ScalarType>) = match value {
            Some(value) if self.random.chance(30) => (Mode::Jvp, vec![value.ty; 2]),
            Some(_) | None => {
                let value = value.filter(|_| with_value);
                let types = value.iter().chain(args).map(|v| v.ty).collect();
                (Mode::Gradient { with_value }, types)
            }
        };
        // The direction is the point.
        let args: Vec<Var> = match mode {
            Mode::Gradient { .. } => args.to_vec(),
            Mode::Jvp => [args, args].concat(),
        };
        let op = ExpOp::Derivative {
            mode,
            params: params
                .iter()
                .map(|v| cotangent_core::term::ExpBind {
                    name: v.id,
                    ty: v.ty,
                })
                .collect(),
            body: body.0,
            args: args.iter().map(|v| v.id).collect(),
        };
        for (id, ty) in self.b.push(op, &types).into_iter().zip(types) {
            self.enter(id, !ty.is_float(), 1e6);
            self.activated(args.iter().any(|v| v.active));
        }
    }
}
