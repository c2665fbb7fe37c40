//! Programs around one loop.

use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, F32, I32};

/// The extent of all arrays of one dimension.
pub const N: SymbolId = SymbolId(0);

/// A program around one loop, under way.
pub struct Maker(pub Schedule);

/// The code of a kernel under way.
pub struct Code<'a> {
    schedule: &'a Schedule,
    body: Body,
}

impl Code<'_> {
    pub fn coord(&mut self, axis: u32) -> ValueId {
        self.body.push(Op::Coord(axis), I32)
    }

    pub fn int(&mut self, value: i32) -> ValueId {
        self.body.push(Op::Const(Const::I32(value)), I32)
    }

    pub fn float(&mut self, value: f32) -> ValueId {
        self.body.push(Op::Const(Const::F32(value)), F32)
    }

    pub fn symbol(&mut self, symbol: SymbolId) -> ValueId {
        let ty = self.schedule.symbols[symbol.index()];
        self.body.push(Op::Symbol(symbol), ty)
    }

    pub fn prim(&mut self, prim: Prim, operands: &[ValueId]) -> ValueId {
        let types: Vec<_> = operands.iter().map(|&v| self.body.type_of(v)).collect();
        let ty = prim.result_type(&types).unwrap();
        self.body.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    pub fn load(&mut self, array: ArrayId, index: &[ValueId], may_fail: bool) -> ValueId {
        let load = Load {
            array,
            index: index.to_vec(),
            guard: None,
            site: may_fail.then_some(SiteId(0)),
        };
        let ty = self.schedule.arrays[array.index()].elem;
        self.body.push(Op::Load(load), ty)
    }
}

impl Maker {
    pub fn new() -> Self {
        Self(Schedule {
            symbols: vec![I32],
            arrays: vec![],
            sites: vec![Site {
                construct: "test",
                loc: Loc::caller(),
            }],
            params: vec![],
            uses: vec![],
            steps: vec![],
            results: vec![],
        })
    }

    pub fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.0.symbols.push(ty);
        SymbolId(self.0.symbols.len() as u32 - 1)
    }

    pub fn array(&mut self, elem: ScalarType, extents: &[SymbolId], layout: Layout) -> ArrayId {
        self.0.arrays.push(ArrayDecl {
            elem,
            extents: extents.to_vec(),
            layout,
            site: SiteId(0),
        });
        ArrayId(self.0.arrays.len() as u32 - 1)
    }

    pub fn vector(&mut self, elem: ScalarType) -> ArrayId {
        self.array(elem, &[N], Layout::Own)
    }

    pub fn code(&self, write: impl FnOnce(&mut Code) -> ValueId) -> (Body, ValueId) {
        let mut code = Code {
            schedule: &self.0,
            body: Body::default(),
        };
        let value = write(&mut code);
        (code.body, value)
    }

    pub fn kernel(space: &[SymbolId], kind: KernelKind) -> Step {
        Step::Kernel(Kernel {
            name: "test",
            loc: Loc::caller(),
            fused: vec![],
            space: space.to_vec(),
            kind,
        })
    }

    /// A map into an array.
    pub fn map(&self, array: ArrayId, write: impl FnOnce(&mut Code) -> ValueId) -> Step {
        let (body, value) = self.code(write);
        let outputs = vec![Output { value, array }];
        let space = &self.0.arrays[array.index()].extents;
        Self::kernel(space, KernelKind::Map { body, outputs })
    }

    /// The sum over an inner dimension of extent [`N`].
    pub fn sum(
        &self,
        array: ArrayId,
        from: SymbolId,
        write: impl FnOnce(&mut Code) -> ValueId,
    ) -> Step {
        let (body, value) = self.code(write);
        let operator = Operator::of_prim(Prim::Add, body.type_of(value));
        let kind = KernelKind::Reduce {
            inner: vec![N],
            body,
            operator,
            init: Some(vec![from]),
            outputs: vec![Output { value, array }],
        };
        Self::kernel(&self.0.arrays[array.index()].extents, kind)
    }

    pub fn scalars(
        &mut self,
        ty: ScalarType,
        write: impl FnOnce(&mut Code) -> ValueId,
    ) -> (Step, SymbolId) {
        let symbol = self.symbol(ty);
        let (body, value) = self.code(write);
        let defines = vec![(symbol, value)];
        (Step::Scalars { body, defines }, symbol)
    }

    pub fn constant(&mut self, value: Const) -> SymbolId {
        let ty = value.scalar_type();
        let (step, symbol) = self.scalars(ty, |code| code.body.push(Op::Const(value), ty));
        self.0.steps.push(step);
        symbol
    }
}

/// What is inside of a loop: given what is carried and the number of the trip, the test, the body and what is carried on.
pub struct Inside {
    pub test: Option<(Vec<Step>, SymbolId)>,
    pub body: Vec<Step>,
    pub next: Vec<ArrayId>,
}

/// The inputs, carried through a loop.
pub fn looped(
    types: &[ScalarType],
    trips: i32,
    inside: impl FnOnce(&mut Maker, &[ArrayId], SymbolId) -> Inside,
) -> Checked<Schedule> {
    let mut maker = Maker::new();
    let of = |maker: &mut Maker| -> Vec<_> { types.iter().map(|&ty| maker.vector(ty)).collect() };
    let [first, seen, last] = [of(&mut maker), of(&mut maker), of(&mut maker)];
    let most = maker.constant(Const::I32(trips));
    let [number, made] = [maker.symbol(I32), maker.symbol(I32)];
    let Inside { test, body, next } = inside(&mut maker, &seen, number);
    let arrays = (0..types.len()).map(|n| Carried {
        first: first[n],
        inside: seen[n],
        next: next[n],
        last: last[n],
    });
    let repeat = Repeat {
        site: Some(SiteId(0)),
        most,
        number,
        made,
        test,
        body,
        symbols: vec![],
        arrays: arrays.collect(),
    };
    maker.0.steps.push(Step::Repeat(repeat));
    // How many trips there were, and what the loop began with, which is as it was.
    let count = maker.array(I32, &[], Layout::Own);
    let step = maker.map(count, |code| code.symbol(made));
    maker.0.steps.push(step);
    maker.0.params.clone_from(&first);
    maker.0.results = [last, first, vec![count]].concat();
    check(maker.0).unwrap()
}
