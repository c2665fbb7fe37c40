//! Random array code with blocks in it: conditionals and gradients.

use super::arrays::{Arrays, Made};
use super::inputs;
use super::scope::Known;
use cotangent_core::build::Arr;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccBlock, AccOp, Fun, Labelled, Mode};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::{self, Bool};

/// The most elements to differentiate by: the interpreter runs the body for each of them.
const MAX_DIRECTIONS: usize = 40;

/// In how many percent of the gradients there is another one.
const SECOND: usize = 33;

/// A block and what is known of its results.
pub(super) type Branch = (AccBlock<Labelled>, Vec<Known>);

impl Arrays<'_> {
    pub(super) fn block(
        &mut self,
        body: impl FnOnce(&mut Self) -> Option<Vec<Known>>,
    ) -> Option<Branch> {
        let outer = self.scope.clone();
        self.nesting += 1;
        self.b.open();
        let results = body(self);
        let arrays: Vec<Arr> = results.iter().flatten().map(|k| k.arr.clone()).collect();
        let block = self.b.close(&arrays);
        self.nesting -= 1;
        self.scope = outer;
        Some((block, results?))
    }

    /// A condition for the host to compute.
    pub(super) fn condition(&mut self) -> Fun<Labelled> {
        let mut s = self.scalars();
        for _ in 0..s.random.between(0, 2) {
            s.index();
        }
        let prim = s.random.pick(&[Prim::Eq, Prim::Lt, Prim::Ge]);
        s.prim(prim);
        let result = s.results(&[Bool]);
        s.finish(&result)
    }

    pub(super) fn cond(&mut self) -> Option<Made> {
        let cond = self.condition();
        let types: Vec<_> = (0..self.random.between(1, 2))
            .map(|_| self.some_type())
            .collect();
        let then_ = self.branch(&types)?;
        let else_ = self.branch(&types)?;
        let exact = then_
            .1
            .iter()
            .zip(&else_.1)
            .map(|(x, y)| x.exact && y.exact)
            .collect();
        let op = AccOp::Cond {
            cond,
            then_: then_.0,
            else_: else_.0,
        };
        Some(Made { op, types, exact })
    }

    fn branch(&mut self, types: &[ArrayType]) -> Option<Branch> {
        self.block(|a| {
            let count = a.random.between(1, 3);
            a.grow(count);
            types.iter().map(|&ty| a.of_type(ty)).collect()
        })
    }

    fn of_type(&mut self, ty: ArrayType) -> Option<Known> {
        self.some(|k| k.arr.ty == ty).or_else(|| self.filled(ty))
    }

    /// A derivative, by reverse mode or forward mode.
    pub(super) fn either_derivative(&mut self) -> Option<Made> {
        match self.random.chance(70) {
            true => self.gradient(),
            false => self.along(),
        }
    }

    /// The derivative of random code by one or two arrays.
    pub(super) fn gradient(&mut self) -> Option<Made> {
        let args = self.gradient_args()?;
        let elem = args[0].arr.ty.elem;
        let params: Vec<_> = args.iter().map(|k| self.b.fresh(k.arr.ty)).collect();
        let smooth = std::mem::replace(&mut self.smooth, true);
        // A gradient can be differentiated along a direction, whatever rules there are in it.
        let forward = std::mem::replace(&mut self.forward, false);
        let body = self.differentiated(&params, &args, elem);
        self.forward = forward;
        self.smooth = smooth;
        let (body, _) = body?;
        let with_value = self.random.chance(40);
        let types: Vec<_> = with_value
            .then_some(ArrayType::new(elem, 0))
            .into_iter()
            .chain(params.iter().map(|p| p.ty))
            .collect();
        let exact = vec![false; types.len()];
        let args = args.iter().map(|k| k.arr.name).collect();
        Some(Made {
            op: AccOp::Derivative {
                mode: Mode::Gradient { with_value },
                params,
                body,
                args,
            },
            types,
            exact,
        })
    }

    /// Random code and its tangents along a random direction.
    pub(super) fn along(&mut self) -> Option<Made> {
        let args = self.gradient_args()?;
        let params: Vec<_> = args.iter().map(|k| self.b.fresh(k.arr.ty)).collect();
        let directions: Option<Vec<Known>> = args.iter().map(|k| self.direction(k)).collect();
        let smooth = std::mem::replace(&mut self.smooth, true);
        let forward = std::mem::replace(&mut self.forward, true);
        let body = self.inside(&params, &args, |a, inside| {
            let count = a.random.between(1, 2).min(inside.len());
            let results = inside[inside.len() - count..].iter();
            results.map(|k| a.limited(k.clone(), 10.0)).collect()
        });
        self.forward = forward;
        self.smooth = smooth;
        let (body, results) = body?;
        let types: Vec<ArrayType> = results.iter().map(|k| k.arr.ty).collect();
        let args = args
            .iter()
            .chain(&directions?)
            .map(|k| k.arr.name)
            .collect();
        Some(Made {
            exact: vec![false; 2 * types.len()],
            types: [&types[..], &types].concat(),
            op: AccOp::Derivative {
                mode: Mode::Jvp,
                params,
                body,
                args,
            },
        })
    }

    /// Something bounded of the type of `array`, and at times of another shape.
    fn direction(&mut self, array: &Known) -> Option<Known> {
        let ty = array.arr.ty;
        let found = self.some(|k| k.arr.ty == ty && k.is_bounded());
        self.limited(found.unwrap_or_else(|| array.clone()), 10.0)
    }

    fn gradient_args(&mut self) -> Option<Vec<Known>> {
        let few = |k: &Known| k.value.column().len() <= MAX_DIRECTIONS;
        let first = self.some(|k| k.arr.ty.elem.is_float() && few(k))?;
        let mut args = vec![self.limited(first, 10.0)?];
        if self.random.chance(40) {
            let next = self.some(few)?;
            args.push(self.limited(next, 10.0)?);
        }
        args.iter().all(Known::is_bounded).then_some(args)
    }

    fn differentiated(
        &mut self,
        params: &[Arr],
        args: &[Known],
        elem: ScalarType,
    ) -> Option<Branch> {
        self.inside(params, args, |a, inside| {
            let last = inside
                .iter()
                .rev()
                .find(|k| k.arr.ty.elem == elem && k.is_bounded())?;
            let sum = a.total(last.clone())?;
            Some(vec![sum])
        })
    }

    /// Random code that depends on `params`, with the results that are chosen among all that it binds.
    fn inside(
        &mut self,
        params: &[Arr],
        args: &[Known],
        choose: impl FnOnce(&mut Self, &[Known]) -> Option<Vec<Known>>,
    ) -> Option<Branch> {
        self.block(|a| {
            // What is not finite or large spoils derivatives, 0 · ∞ being what it is.
            a.scope.retain(Known::is_bounded);
            let before = a.scope.len();
            let inner = params.iter().zip(args);
            let inner =
                inner.map(|(p, k)| Known::new(p.clone(), k.value.clone(), k.exact).activated(true));
            a.scope.extend(inner);
            let count = a.random.between(1, 4);
            a.grow(count);
            if a.nesting == 1
                && a.random.chance(SECOND)
                && let Some(made) = a.either_derivative()
            {
                a.add(made);
            }
            let inside: Vec<_> = a.scope[before..].to_vec();
            choose(a, &inside)
        })
    }

    /// The sum of all elements.
    fn total(&mut self, array: Known) -> Option<Known> {
        let mut array = self.limited(array, 10.0)?;
        let elem = array.arr.ty.elem;
        while array.arr.ty.rank > 0 {
            let op = AccOp::Fold {
                f: Fun::prim(Prim::Add, &[elem; 2]),
                init: Some(Fun::constants(&[Const::zero(elem)])),
                args: vec![array.arr.name],
            };
            array = self
                .add(Made::one(op, elem, array.arr.ty.rank - 1, false))?
                .pop()?;
        }
        (inputs::bound(&array.value) < 1e6).then_some(array)
    }
}
