//! The rules of programs and collective operations.

use super::{Checker, Checks, Problem, Step, derivative, fits, same};
use crate::host::HostArray;
use crate::label::Numbered;
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, Alike, ArrBind, Axis, Combine, Fun, LoopClosures, Mode,
    Move, ParamAxis, Program, Rules, UseId,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::BTreeMap;

use ScalarType::{Bool, I32};

impl Checker {
    /// Checks a program; gives the types of its results.
    pub(super) fn program<N: Numbered>(&mut self, program: &Program<N>) -> Checks<Vec<ArrayType>> {
        let Program {
            params,
            uses,
            alike,
            body,
        } = program;
        let types: Vec<_> = params.iter().map(|p| p.ty).collect();
        self::alike(alike, &types, uses)?;
        self.arr_binds(params)?;
        self.acc_block(body)
    }

    fn arr_binds<N: Numbered>(&mut self, binds: &[ArrBind<N>]) -> Checks<()> {
        for ArrBind { name, ty } in binds {
            self.meet(ty.elem)?;
            self.arrays.bind(N::arr_label(*name), *ty, name)?;
        }
        Ok(())
    }

    /// The type of an array in scope.
    pub(super) fn array<N: Numbered>(&self, name: N::Arr) -> Checks<ArrayType> {
        let found = N::find(&self.arrays.scope, N::arr(name));
        found.copied().ok_or_else(|| Problem::Unbound {
            variable: format!("{name:?}"),
        })
    }

    fn array_types<N: Numbered>(&self, names: &[N::Arr]) -> Checks<Vec<ArrayType>> {
        names.iter().map(|&a| self.array::<N>(a)).collect()
    }

    /// Checks a block; gives the types of its results.
    fn acc_block<N: Numbered>(&mut self, block: &AccBlock<N>) -> Checks<Vec<ArrayType>> {
        let AccBlock { lets, results } = block;
        let depth = self.arrays.scope.depth();
        for (position, let_) in lets.iter().enumerate() {
            self.acc_let(position, let_)?;
        }
        let types = self.array_types::<N>(results)?;
        self.arrays.scope.leave(depth);
        Ok(types)
    }

    fn acc_let<N: Numbered>(&mut self, position: usize, let_: &AccLet<N>) -> Checks<()> {
        let AccLet { binds, op, loc } = let_;
        let outer = self.loc;
        self.loc = loc.or(outer);
        let label = binds.first().filter(|b| N::arr_label(b.name).is_some());
        let step = || Step::Let {
            position,
            operation: op.name().to_owned(),
            label: label.map(|b| format!("{:?}", b.name)),
        };
        self.at(step, |c| {
            let types = c.acc_op(op)?;
            same(
                "bindings",
                types,
                binds.iter().map(|bind| bind.ty).collect(),
            )?;
            c.arr_binds(binds)
        })?;
        self.loc = outer;
        Ok(())
    }

    /// Checks an operation; gives the types of its results.
    fn acc_op<N: Numbered>(&mut self, op: &AccOp<N>) -> Checks<Vec<ArrayType>> {
        match op {
            AccOp::Use(id) => Ok(vec![self.host(*id)?]),
            AccOp::Generate { shape, f } => {
                let rank = self.shape("shape", shape)?;
                let elems = self.fun("f", f, &vec![I32; rank])?;
                Ok(arrays(&elems, rank))
            }
            AccOp::Map { f, args } => {
                let (elems, rank) = self.columns::<N>("arguments", args)?;
                let results = self.fun("f", f, &elems)?;
                Ok(arrays(&results, rank))
            }
            AccOp::Fold { f, init, args } => {
                let (elems, rank) = self.reduced(f, init.as_ref(), args)?;
                Ok(arrays(&elems, rank - 1))
            }
            AccOp::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => self.segments((f, init), *lengths, args),
            AccOp::Scan {
                direction: _,
                f,
                init,
                args,
            } => {
                let (elems, rank) = self.reduced(f, init.as_ref(), args)?;
                Ok(arrays(&elems, rank))
            }
            AccOp::Move { how, arg } => Ok(vec![self.moved(how, *arg)?]),
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => self.permute(*combine, defaults, target, args),
            AccOp::Unpack { args } => self.unpack::<N>(args),
            AccOp::Append { args } => self.append::<N>(args),
            AccOp::Argsort { order: _, arg } => self.argsort::<N>(*arg),
            AccOp::Cond { cond, then_, else_ } => self.acond(cond, then_, else_),
            AccOp::Loop {
                trips,
                test,
                step,
                states,
                args,
            } => self.aloop(trips, (test.as_ref(), step, states.inverse()), args),
            AccOp::Derivative {
                mode,
                params,
                body,
                args,
            } => self.acc_derivative(*mode, params, body, args),
            AccOp::Custom {
                values,
                rules,
                args,
            } => self.custom(*values, rules, args),
        }
    }

    fn moved<N: Numbered>(&mut self, how: &Move<Fun<N>>, arg: N::Arr) -> Checks<ArrayType> {
        match how {
            Move::Reshape { shape } => {
                let (rank, elem) = (self.shape("shape", shape)?, self.array::<N>(arg)?.elem);
                Ok(ArrayType::new(elem, rank))
            }
            Move::Expect { shape } => {
                let ty = self.array::<N>(arg)?;
                self.fun_to("shape", shape, &[], &vec![I32; ty.rank])?;
                Ok(ty)
            }
            Move::Replicate { axes, extents } => {
                let ArrayType { elem, rank } = self.array::<N>(arg)?;
                self.axes("extents", extents, axes, (count(axes, Axis::All), rank))?;
                Ok(ArrayType::new(elem, axes.len()))
            }
            Move::Slice { axes, indices } => {
                let ArrayType { elem, rank } = self.array::<N>(arg)?;
                self.axes("indices", indices, axes, (axes.len(), rank))?;
                Ok(ArrayType::new(elem, count(axes, Axis::All)))
            }
            Move::Backpermute { shape, f } => {
                let ArrayType { elem, rank: from } = self.array::<N>(arg)?;
                let rank = self.shape("shape", shape)?;
                self.fun_to("f", f, &vec![I32; rank], &vec![I32; from])?;
                Ok(ArrayType::new(elem, rank))
            }
            Move::Roll { axes, amounts } => {
                let ty = self.array::<N>(arg)?;
                self.axes("amounts", amounts, axes, (axes.len(), ty.rank))?;
                Ok(ty)
            }
            Move::Stored => self.array::<N>(arg),
        }
    }

    fn segments<N: Numbered>(
        &mut self,
        (f, init): (&Fun<N>, &Fun<N>),
        lengths: N::Arr,
        args: &[N::Arr],
    ) -> Checks<Vec<ArrayType>> {
        let lengths = self.array::<N>(lengths)?;
        let is_vector = lengths == ArrayType::new(I32, 1);
        fits(
            is_vector,
            "lengths",
            "an array of i32 and rank 1",
            &[lengths],
        )?;
        let (elems, rank) = self.reduced(f, Some(init), args)?;
        Ok(arrays(&elems, rank))
    }

    fn unpack<N: Numbered>(&self, args: &[N::Arr]) -> Checks<Vec<ArrayType>> {
        let ArrayType { elem, rank } = self.of_one_type::<N>(args)?;
        Ok(vec![ArrayType::new(elem, rank + 1)])
    }

    fn append<N: Numbered>(&self, args: &[N::Arr]) -> Checks<Vec<ArrayType>> {
        let ty = self.of_one_type::<N>(args)?;
        fits(ty.rank > 0, "arguments", "arrays of rank 1 or more", &[ty])?;
        Ok(vec![ty])
    }

    fn argsort<N: Numbered>(&self, arg: N::Arr) -> Checks<Vec<ArrayType>> {
        let ty = self.of_one_type::<N>(&[arg])?;
        fits(ty.rank > 0, "argument", "an array of rank 1 or more", &[ty])?;
        Ok(vec![ArrayType::new(I32, ty.rank)])
    }

    /// The type of one or more arrays, which must be the same for all.
    fn of_one_type<N: Numbered>(&self, args: &[N::Arr]) -> Checks<ArrayType> {
        let (elems, rank) = self.columns::<N>("arguments", args)?;
        same("arguments", vec![elems[0]; elems.len()], elems.clone())?;
        Ok(ArrayType::new(elems[0], rank))
    }

    /// Checks a shape; gives the rank.
    fn shape<N: Numbered>(&mut self, name: &'static str, shape: &Fun<N>) -> Checks<usize> {
        let found = self.fun(name, shape, &[])?;
        let rank = found.len();
        self.part(name, |_| same("results", vec![I32; rank], found))?;
        Ok(rank)
    }

    /// Checks axes, which describe an array of one rank and must describe one of another, and the function
    /// that gives one `i32` for each fixed axis.
    fn axes<N: Numbered>(
        &mut self,
        name: &'static str,
        fun: &Fun<N>,
        axes: &[Axis],
        (described, rank): (usize, usize),
    ) -> Checks<()> {
        self.fun_to(name, fun, &[], &vec![I32; count(axes, Axis::Fixed)])?;
        match described == rank {
            true => Ok(()),
            false => Err(Problem::Axes { described, rank }),
        }
    }

    fn host(&self, UseId(given): UseId) -> Checks<ArrayType> {
        let uses = self.uses.len();
        let found = self.uses.get(given as usize).copied();
        found.ok_or(Problem::NoSuchUse { given, uses })
    }

    fn acond<N: Numbered>(
        &mut self,
        cond: &Fun<N>,
        then_: &AccBlock<N>,
        else_: &AccBlock<N>,
    ) -> Checks<Vec<ArrayType>> {
        self.fun_to("condition", cond, &[], &[Bool])?;
        let then_types = self.part("then", |c| c.acc_block(then_))?;
        let else_types = self.part("else", |c| c.acc_block(else_))?;
        same("results of `else`", then_types.clone(), else_types)?;
        Ok(then_types)
    }

    /// The element types and the rank of one or more arrays that are traversed together.
    fn columns<N: Numbered>(
        &self,
        what: &'static str,
        args: &[N::Arr],
    ) -> Checks<(Vec<ScalarType>, usize)> {
        let types = self.array_types::<N>(args)?;
        fits(!types.is_empty(), what, "at least one array", &types)?;
        let rank = types[0].rank;
        let alike = types.iter().all(|ty| ty.rank == rank);
        fits(alike, what, "arrays of one rank", &types)?;
        Ok((types.iter().map(|ty| ty.elem).collect(), rank))
    }

    /// What folds and scans have in common.
    fn reduced<N: Numbered>(
        &mut self,
        f: &Fun<N>,
        init: Option<&Fun<N>>,
        args: &[N::Arr],
    ) -> Checks<(Vec<ScalarType>, usize)> {
        let (elems, rank) = self.columns::<N>("arguments", args)?;
        let types = arrays(&elems, rank);
        fits(rank > 0, "arguments", "arrays of rank 1 or more", &types)?;
        self.fun_to("f", f, &elems.repeat(2), &elems)?;
        if let Some(init) = init {
            self.fun_to("init", init, &[], &elems)?;
        }
        Ok((elems, rank))
    }

    fn permute<N: Numbered>(
        &mut self,
        combine: Combine,
        defaults: &[N::Arr],
        target: &Fun<N>,
        args: &[N::Arr],
    ) -> Checks<Vec<ArrayType>> {
        let (elems, from) = self.columns::<N>("arguments", args)?;
        let (default_elems, to) = self.columns::<N>("defaults", defaults)?;
        same("elements of the defaults", elems.clone(), default_elems)?;
        match combine {
            Combine::Add => {
                let numbers = elems.iter().all(|ty| ty.is_number());
                fits(numbers, "arguments", "numbers to add", &elems)?;
            }
            Combine::Overwrite => {}
        }
        let results = [vec![Bool], vec![I32; to]].concat();
        self.fun_to("target", target, &vec![I32; from], &results)?;
        Ok(arrays(&elems, to))
    }

    fn aloop<N: Numbered>(
        &mut self,
        trips: &Fun<N>,
        (test, step, inverse): LoopClosures<'_, N>,
        args: &[N::Arr],
    ) -> Checks<Vec<ArrayType>> {
        self.fun_to("trips", trips, &[], &[I32])?;
        let mut given = vec![ArrayType::new(I32, 0)];
        given.extend(self.array_types::<N>(args)?);
        if let Some(test) = test {
            self.trip("test", test, &given, &[ArrayType::new(Bool, 0)])?;
        }
        self.trip("step", step, &given, &given[1..])?;
        if let Some(inverse) = inverse {
            self.trip("inverse", inverse, &given, &given[1..])?;
        }
        Ok(given)
    }

    /// Checks a block with parameters, of a loop or a rule.
    fn trip<N: Numbered>(
        &mut self,
        name: &'static str,
        closure: &AccClosure<N>,
        given: &[ArrayType],
        results: &[ArrayType],
    ) -> Checks<()> {
        let AccClosure { params, body } = closure;
        let depth = self.arrays.scope.depth();
        self.part(name, |c| {
            let own = params.iter().map(|p| p.ty).collect();
            same("parameters", given.to_vec(), own)?;
            c.arr_binds(params)?;
            let found = c.acc_block(body)?;
            same("results", results.to_vec(), found)
        })?;
        self.arrays.scope.leave(depth);
        Ok(())
    }

    fn acc_derivative<N: Numbered>(
        &mut self,
        mode: Mode,
        params: &[ArrBind<N>],
        body: &AccBlock<N>,
        args: &[N::Arr],
    ) -> Checks<Vec<ArrayType>> {
        let found = self.array_types::<N>(args)?;
        let depth = self.arrays.scope.depth();
        let results = self.part("body", |c| {
            c.arr_binds(params)?;
            let results = c.acc_block(body)?;
            if let Mode::Gradient { with_value: _ } = mode {
                let one = results.len() == 1 && results[0].rank == 0 && results[0].elem.is_float();
                fits(one, "results", "one float of rank 0", &results)?;
            }
            Ok(results)
        })?;
        self.arrays.scope.leave(depth);
        let params = params.iter().map(|p| p.ty).collect();
        derivative(mode, (params, results), found)
    }

    fn custom<N: Numbered>(
        &mut self,
        values: usize,
        rules: &Rules<AccClosure<N>>,
        args: &[N::Arr],
    ) -> Checks<Vec<ArrayType>> {
        let found = self.array_types::<N>(args)?;
        let enough = (1..=found.len()).contains(&values);
        fits(enough, "arguments", "the values and the inputs", &found)?;
        let (values, inputs) = found.split_at(values);
        if let Some(jvp) = rules.jvp() {
            self.trip("jvp", jvp, &found, values)?;
        }
        if let Some(vjp) = rules.vjp() {
            self.trip("vjp", vjp, &values.repeat(2), inputs)?;
        }
        Ok(values.to_vec())
    }
}

/// Checks that what is said to have one shape can have, and that each group is named by its first member.
fn alike(alike: &Alike, params: &[ArrayType], uses: &[HostArray]) -> Checks<()> {
    let Alike {
        params: like_params,
        uses: like_uses,
        extents: _,
    } = alike;
    alike_extents(alike, params)?;
    group("parameter", like_params, &|u| {
        params.get(u).map(|ty| ty.rank)
    })?;
    group("host array", like_uses, &|u| {
        uses.get(u).map(HostArray::shape)
    })
}

/// Checks that equal extents are of parameters, each of its own, and that the first ones are.
fn alike_extents(alike: &Alike, params: &[ArrayType]) -> Checks<()> {
    let rank = |u: u32| params.get(u as usize).map_or(0, |ty| ty.rank as u32);
    let is_own =
        |side: &ParamAxis| side.axis < rank(side.param) && !alike.params.contains_key(&side.param);
    let fits = |of: &ParamAxis, first: &ParamAxis| {
        first < of && is_own(of) && is_own(first) && !alike.extents.contains_key(first)
    };
    let mut pairs = alike.extents.iter();
    match pairs.find(|(of, first)| !fits(of, first)) {
        None => Ok(()),
        Some((&of, &first)) => Err(Problem::AlikeExtents { of, first }),
    }
}

fn group<S: PartialEq>(
    what: &'static str,
    like: &BTreeMap<u32, u32>,
    shape: &dyn Fn(usize) -> Option<S>,
) -> Checks<()> {
    let fits = |(&of, &first): (&u32, &u32)| {
        let alike = shape(of as usize).is_some_and(|s| Some(s) == shape(first as usize));
        alike && first < of && !like.contains_key(&first)
    };
    match like.iter().find(|pair| !fits(*pair)) {
        None => Ok(()),
        Some((&of, &first)) => Err(Problem::Alike { what, of, first }),
    }
}

fn arrays(elems: &[ScalarType], rank: usize) -> Vec<ArrayType> {
    elems.iter().map(|&e| ArrayType::new(e, rank)).collect()
}

fn count(axes: &[Axis], kind: Axis) -> usize {
    axes.iter().filter(|&&axis| axis == kind).count()
}
