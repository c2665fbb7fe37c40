//! Random loops of array code.
//!
//! They make a few trips, or none, and carry what is exact; extents may change from trip to trip.

use super::arrays::{Arrays, Made};
use super::control::Branch;
use super::scope::Known;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccClosure, AccOp, Combine, Fun, Labelled, Outside, States};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::{Bool, F16, F32, F64, I32};

/// The most trips.
const MOST: i32 = 3;

impl Arrays<'_> {
    /// A loop over random state.
    pub(super) fn iterate(&mut self) -> Option<Made> {
        let count = self.random.between(1, 2);
        let args: Vec<_> = (0..count).map(|_| self.first()).collect::<Option<_>>()?;
        let test = match self.random.chance(40) {
            true => Some(self.test(&args)?),
            false => None,
        };
        let most = match test {
            Some(_) if self.random.chance(50) => i32::MAX,
            Some(_) | None => self.random.between(0, MOST as usize + 1) as i32 - 1,
        };
        let trips = self.trips(most);
        let states = match self.random.between(0, 5) {
            0 => States::Checkpoints(self.random.between(1, 2) as u32),
            _ => States::Stored,
        };
        let step = self.closure(&args, |a, state| {
            let count = a.random.between(1, 3);
            a.grow(count);
            let next = state.iter().map(|k| a.next(k));
            next.collect()
        })?;
        let mut types = vec![ArrayType::new(I32, 0)];
        types.extend(args.iter().map(|k| k.arr.ty));
        Some(Made {
            exact: [true]
                .into_iter()
                .chain(args.iter().map(|k| k.exact))
                .collect(),
            op: AccOp::Loop {
                trips,
                test,
                step,
                states,
                args: args.iter().map(|k| k.arr.name).collect(),
            },
            types,
        })
    }

    /// What a loop carries first. In code that is differentiated floats count as not exact: most trips halve them, so that
    /// derivatives do not grow.
    fn first(&mut self) -> Option<Known> {
        let smooth = self.smooth;
        let first = self.some(|k| k.exact && !(smooth && k.arr.ty.elem == F16))?;
        let is_exact = !(self.smooth && first.arr.ty.elem.is_float());
        Some(Known {
            exact: is_exact,
            ..first
        })
    }

    /// A number of trips: a literal, or one that is read from an array.
    fn trips(&mut self, most: i32) -> Fun<Labelled> {
        let mut s = self.scalars();
        if most == i32::MAX || s.random.chance(50) {
            let most = s.constant(most);
            return s.finish(&[most]);
        }
        s.index();
        let (any, one) = (s.exact(I32), s.constant(1));
        let bound = s.constant(MOST + 2);
        let some = s.put(Prim::ModFloor, &[any, bound], MOST.into(), true);
        let trips = s.put(Prim::Sub, &[some, one], MOST.into(), true);
        s.finish(&[trips])
    }

    /// Whether to go on: for a few trips, and as long as something else holds.
    fn test(&mut self, args: &[Known]) -> Option<AccClosure<Labelled>> {
        self.closure(args, |a, _| {
            let number = a.scope[a.scope.len() - 1 - args.len()].clone();
            let mut s = a.scalars();
            for _ in 0..s.random.between(0, 2) {
                s.index();
            }
            let (k, most) = (s.element(&number, &[]), s.constant(MOST));
            let few = s.put(Prim::Lt, &[k, most], 1.0, true);
            let other = s.exact(Bool);
            let holds = s.put(Prim::And, &[few, other], 1.0, true);
            let f = s.finish(&[holds]);
            let shape = Fun::constants(&[]);
            a.add(Made::one(AccOp::Generate { shape, f }, Bool, 0, true))
        })
    }

    /// The next state: any array of the type, or the last one with elements written into it.
    fn next(&mut self, state: &Known) -> Option<Known> {
        match self.random.chance(40) {
            true => self.updated(state),
            false if !state.exact && self.random.chance(75) => self.halved(state),
            false => self.exact(state.arr.ty),
        }
    }

    /// Half of the state, and something that is bounded.
    fn halved(&mut self, state: &Known) -> Option<Known> {
        let ArrayType { elem, rank } = state.arr.ty;
        let other = self.exact(state.arr.ty)?;
        let mut b = FunBuilder::new();
        let (x, y) = (b.param(elem), b.param(elem));
        let (one, two) = (b.small(elem, 1), b.small(elem, 2));
        let half = b.prim(Prim::Div, &[one, two]);
        let x = b.prim(Prim::Mul, &[x, half]);
        let y = b.prim(Prim::Sin, &[y]);
        let sum = b.prim(Prim::Add, &[x, y]);
        let op = AccOp::Map {
            f: b.finish(vec![sum]),
            args: vec![state.arr.name, other.arr.name],
        };
        self.add(Made::one(op, elem, rank, false))?.pop()
    }

    /// An array with elements written into it, once or twice, by a loop, or where something holds.
    fn updated(&mut self, array: &Known) -> Option<Known> {
        match self.random.between(0, 4) {
            0 => {
                let once = self.written_into(array)?;
                self.grow(1);
                self.written_into(&once)
            }
            1 => self.updated_where(array),
            2 => {
                let once = self.updated_by_loop(array)?;
                match self.random.chance(50) {
                    true => self.written_into(&once),
                    false => Some(once),
                }
            }
            _ => self.written_into(array),
        }
    }

    /// An array with elements written into it by each trip of a loop.
    fn updated_by_loop(&mut self, array: &Known) -> Option<Known> {
        let args = std::slice::from_ref(array);
        let test = match self.random.chance(25) {
            true => Some(self.test(args)?),
            false => None,
        };
        let most = self.random.between(0, MOST as usize + 1) as i32 - 1;
        let trips = self.trips(most);
        let step = self.closure(args, |a, state| {
            a.grow(1);
            Some(vec![a.written_into(&state[0])?])
        })?;
        let op = AccOp::Loop {
            trips,
            test,
            step,
            states: States::Stored,
            args: vec![array.arr.name],
        };
        let made = Made {
            exact: vec![true, array.exact],
            op,
            types: vec![ArrayType::new(I32, 0), array.arr.ty],
        };
        self.add(made)?.pop()
    }

    /// An array, in a branch of a conditional or in both with elements written into it.
    fn updated_where(&mut self, array: &Known) -> Option<Known> {
        let cond = self.condition();
        let (then_, written) = self.updated_in_branch(array)?;
        let (else_, other) = match self.random.chance(50) {
            true => self.updated_in_branch(array)?,
            false => self.block(|_| Some(vec![array.clone()]))?,
        };
        let exact = written[0].exact && other[0].exact;
        let (then_, else_) = match self.random.chance(50) {
            true => (then_, else_),
            false => (else_, then_),
        };
        let ArrayType { elem, rank } = array.arr.ty;
        let op = AccOp::Cond { cond, then_, else_ };
        self.add(Made::one(op, elem, rank, exact))?.pop()
    }

    fn updated_in_branch(&mut self, array: &Known) -> Option<Branch> {
        self.block(|a| {
            a.grow(1);
            Some(vec![match a.random.chance(25) {
                true => a.updated_by_loop(array)?,
                false => a.written_into(array)?,
            }])
        })
    }

    /// An array with elements of another one written into it.
    fn written_into(&mut self, array: &Known) -> Option<Known> {
        let elem = array.arr.ty.elem;
        let arg = self.some(|k| k.arr.ty.elem == elem && k.exact)?;
        let combine = match elem {
            Bool => Combine::Overwrite,
            I32 if self.random.chance(50) => Combine::Add,
            integer_type!() | F16 | F32 | F64 => Combine::Overwrite,
        };
        let target = self.target(std::slice::from_ref(&arg), array);
        let op = AccOp::Permute {
            combine,
            outside: Outside::Fails,
            defaults: vec![array.arr.name],
            target,
            args: vec![arg.arr.name],
        };
        let ArrayType { rank, .. } = array.arr.ty;
        self.add(Made::one(op, elem, rank, array.exact))?.pop()
    }

    fn exact(&mut self, ty: ArrayType) -> Option<Known> {
        let found = self.some(|k| k.arr.ty == ty && k.exact);
        found.or_else(|| self.filled(ty))
    }

    /// A function of the number of a trip and a state, which `body` is given; it is made as if for the first trip.
    fn closure(
        &mut self,
        args: &[Known],
        body: impl FnOnce(&mut Self, &[Known]) -> Option<Vec<Known>>,
    ) -> Option<AccClosure<Labelled>> {
        let zero = Column::from_consts(I32, [Const::I32(0)])?;
        let zero = HostArray::new(vec![], zero).ok()?;
        let number = self.b.fresh(ArrayType::new(I32, 0));
        let mut given = vec![Known::new(number, zero, true)];
        for k in args {
            let param = self.b.fresh(k.arr.ty);
            let param = Known::new(param, k.value.clone(), k.exact);
            given.push(param.activated(k.active));
        }
        let params: Vec<Arr> = given.iter().map(|k| k.arr.clone()).collect();
        let (body, _): Branch = self.block(|a| {
            a.scope.extend(given.iter().cloned());
            body(a, &given[1..])
        })?;
        Some(AccClosure { params, body })
    }
}
