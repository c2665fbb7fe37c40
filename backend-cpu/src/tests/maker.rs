//! Schedules built by hand.

use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, Bool, I32};

/// A schedule being built, with the inputs it is to run on.
pub(crate) struct Maker {
    pub schedule: Schedule,
    pub inputs: Vec<HostArray>,
}

impl Maker {
    pub fn new() -> Self {
        let site = Site {
            construct: "test",
            loc: Loc::caller(),
        };
        Self {
            schedule: Schedule {
                symbols: vec![],
                arrays: vec![],
                sites: vec![site],
                params: vec![],
                uses: vec![],
                steps: vec![],
                results: vec![],
            },
            inputs: vec![],
        }
    }

    pub fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.schedule.symbols.push(ty);
        SymbolId(self.schedule.symbols.len() as u32 - 1)
    }

    /// A new site, told from others by its construct.
    pub fn site(&mut self, construct: &'static str) -> SiteId {
        let loc = Loc::caller();
        self.schedule.sites.push(Site { construct, loc });
        SiteId(self.schedule.sites.len() as u32 - 1)
    }

    /// A symbol with a known value.
    pub fn known(&mut self, value: impl Into<Const>) -> SymbolId {
        let value = value.into();
        let symbol = self.symbol(value.scalar_type());
        let mut body = Body::default();
        let v = body.push(Op::Const(value), value.scalar_type());
        self.schedule.steps.push(Step::Scalars {
            body,
            defines: vec![(symbol, v)],
        });
        symbol
    }

    pub fn array(&mut self, elem: ScalarType, extents: &[SymbolId], layout: Layout) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem,
            extents: extents.to_vec(),
            layout,
            site: SiteId(0),
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    pub fn own(&mut self, elem: ScalarType, extents: &[SymbolId]) -> ArrayId {
        self.array(elem, extents, Layout::Own)
    }

    pub fn extents(&self, array: ArrayId) -> Vec<SymbolId> {
        self.schedule.arrays[array.index()].extents.clone()
    }

    pub fn input(&mut self, shape: &[usize], column: impl Into<Column>) -> ArrayId {
        let input = HostArray::new(shape.to_vec(), column.into()).unwrap();
        let extents: Vec<_> = shape.iter().map(|_| self.symbol(I32)).collect();
        let array = self.own(input.column().scalar_type(), &extents);
        self.schedule.params.push(array);
        self.inputs.push(input);
        array
    }

    pub fn kernel(&mut self, space: &[SymbolId], kind: KernelKind) {
        self.schedule.steps.push(Step::Kernel(Kernel {
            name: "test",
            loc: Loc::UNKNOWN,
            fused: vec![],
            space: space.to_vec(),
            kind,
        }));
    }

    /// A map whose results are new arrays, which become results of the schedule.
    pub fn map(&mut self, space: &[SymbolId], body: Body, values: &[ValueId]) -> Vec<ArrayId> {
        let outputs = self.outputs(space, &body, values);
        let arrays = outputs.iter().map(|o| o.array).collect();
        self.kernel(space, KernelKind::Map { body, outputs });
        arrays
    }

    /// New arrays for values, which become results of the schedule.
    pub fn outputs(
        &mut self,
        extents: &[SymbolId],
        body: &Body,
        values: &[ValueId],
    ) -> Vec<Output> {
        let output = |&value: &ValueId| {
            let array = self.own(body.type_of(value), extents);
            self.schedule.results.push(array);
            Output { value, array }
        };
        values.iter().map(output).collect()
    }

    /// The schedule and its inputs.
    pub fn checked(self) -> (Checked<Schedule>, Vec<HostArray>) {
        (check::check(self.schedule).unwrap(), self.inputs)
    }

    pub fn run(self) -> Result<Vec<HostArray>, cotangent_core::backend::RunError> {
        super::against_reference(self.schedule, &self.inputs)
    }
}

/// Shorthand for bodies.
#[derive(Default)]
pub(crate) struct Code(pub Body);

impl Code {
    pub fn constant(&mut self, value: impl Into<Const>) -> ValueId {
        let value = value.into();
        self.0.push(Op::Const(value), value.scalar_type())
    }

    pub fn coord(&mut self, axis: u32) -> ValueId {
        self.0.push(Op::Coord(axis), I32)
    }

    pub fn coords(&mut self, n: usize) -> Vec<ValueId> {
        (0..n as u32).map(|axis| self.coord(axis)).collect()
    }

    pub fn symbol(&mut self, symbol: SymbolId, ty: ScalarType) -> ValueId {
        self.0.push(Op::Symbol(symbol), ty)
    }

    pub fn arg(&mut self, n: u32, ty: ScalarType) -> ValueId {
        self.0.push(Op::Arg(n), ty)
    }

    pub fn prim(&mut self, prim: Prim, operands: &[ValueId]) -> ValueId {
        let types: Vec<_> = operands.iter().map(|&v| self.0.type_of(v)).collect();
        let ty = prim.result_type(&types).unwrap();
        self.0.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    pub fn load(&mut self, array: ArrayId, ty: ScalarType, index: &[ValueId]) -> ValueId {
        self.guarded(array, ty, index, None, Some(SiteId(0)))
    }

    pub fn guarded(
        &mut self,
        array: ArrayId,
        ty: ScalarType,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: Option<SiteId>,
    ) -> ValueId {
        assert!(guard.is_none_or(|g| self.0.type_of(g) == Bool));
        let load = Load {
            array,
            index: index.to_vec(),
            guard,
            site,
        };
        self.0.push(Op::Load(load), ty)
    }
}

/// A primitive as an operator.
pub(crate) fn operator(prim: Prim, ty: ScalarType) -> Operator {
    let mut code = Code::default();
    let args = [code.arg(0, ty), code.arg(1, ty)];
    let result = code.prim(prim, &args);
    Operator {
        body: code.0,
        results: vec![result],
    }
}

/// The composition of affine maps, x ↦ a·x + b, on pairs (a, b): associative, exact in wrapping integers,
/// and not commutative.
pub(crate) fn composition() -> Operator {
    let mut code = Code::default();
    let [a, b, c, d] = [0, 1, 2, 3].map(|n| code.arg(n, I32));
    let factor = code.prim(Prim::Mul, &[a, c]);
    let scaled = code.prim(Prim::Mul, &[b, c]);
    let offset = code.prim(Prim::Add, &[scaled, d]);
    Operator {
        body: code.0,
        results: vec![factor, offset],
    }
}

/// The right operand.
pub(crate) fn last(ty: ScalarType) -> Operator {
    let mut code = Code::default();
    code.arg(0, ty);
    let result = code.arg(1, ty);
    Operator {
        body: code.0,
        results: vec![result],
    }
}
