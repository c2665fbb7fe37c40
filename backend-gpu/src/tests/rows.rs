//! Programs of one kernel over rows of tables, and the ways to run them.

use crate::{Gpu, Groups};
use cotangent_core::backend::{Backend, RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType;

/// The symbols that every table's extents are.
pub const ROWS: SymbolId = SymbolId(0);
pub const INNER: SymbolId = SymbolId(1);
/// A symbol that is one more than the second.
pub const LONGER: SymbolId = SymbolId(2);

/// A program under way: tables come in, one kernel runs.
pub struct Builder {
    schedule: Schedule,
    pub body: Body,
}

impl Builder {
    pub fn new() -> Self {
        let site = Site {
            construct: "test",
            loc: Loc::caller(),
        };
        Self {
            schedule: Schedule {
                symbols: vec![ScalarType::I32; 2],
                arrays: vec![],
                sites: vec![site],
                params: vec![],
                uses: vec![],
                steps: vec![],
                results: vec![],
            },
            body: Body::default(),
        }
    }

    pub fn array(&mut self, elem: ScalarType, extents: &[SymbolId]) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem,
            extents: extents.to_vec(),
            layout: Layout::Own,
            site: SiteId(0),
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    pub fn param(&mut self, elem: ScalarType, extents: &[SymbolId]) -> ArrayId {
        let array = self.array(elem, extents);
        self.schedule.params.push(array);
        array
    }

    pub fn result(&mut self, elem: ScalarType, extents: &[SymbolId]) -> ArrayId {
        let array = self.array(elem, extents);
        self.schedule.results.push(array);
        array
    }

    pub fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.schedule.symbols.push(ty);
        SymbolId(self.schedule.symbols.len() as u32 - 1)
    }

    /// Symbols with the given values.
    pub fn symbols(&mut self, values: &[Const]) -> Vec<SymbolId> {
        let mut body = Body::default();
        let mut defines = vec![];
        for &value in values {
            let symbol = self.symbol(value.scalar_type());
            let value = body.push(Op::Const(value), value.scalar_type());
            defines.push((symbol, value));
        }
        let symbols = defines.iter().map(|&(symbol, _)| symbol).collect();
        self.schedule.steps.push(Step::Scalars { body, defines });
        symbols
    }

    /// Defines [`LONGER`].
    pub fn longer(&mut self) {
        assert_eq!(self.symbol(ScalarType::I32), LONGER);
        let mut body = Body::default();
        let inner = body.push(Op::Symbol(INNER), ScalarType::I32);
        let one = body.push(Op::Const(Const::I32(1)), ScalarType::I32);
        let longer = Op::Prim(Prim::Add, vec![inner, one]);
        let longer = body.push(longer, ScalarType::I32);
        let defines = vec![(LONGER, longer)];
        self.schedule.steps.push(Step::Scalars { body, defines });
    }

    pub fn coord(&mut self, axis: u32) -> ValueId {
        self.body.push(Op::Coord(axis), ScalarType::I32)
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

    pub fn not_empty(&mut self) {
        let check = Check::NotEmpty {
            outer: vec![ROWS],
            inner: vec![INNER],
        };
        self.schedule.steps.push(Step::Check(check, SiteId(0)));
    }

    pub fn kernel(mut self, space: &[SymbolId], kind: KernelKind) -> Checked<Schedule> {
        self.schedule.steps.push(Step::Kernel(Kernel {
            name: "test",
            loc: Loc::caller(),
            fused: vec![],
            space: space.to_vec(),
            kind,
        }));
        check(self.schedule).unwrap()
    }
}

/// A table of small numbers, each with its sign.
pub fn table(ty: ScalarType, extents: &[usize], seed: u64) -> HostArray {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % 7 - 3
    };
    let values = (0..extents.iter().product()).map(|_| Const::small(ty, next() as i32));
    let column = Column::from_consts(ty, values.collect::<Vec<_>>()).unwrap();
    HostArray::new(extents.to_vec(), column).unwrap()
}

/// The ways to run.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    Simple,
    Fast(Groups),
    WithoutSubgroups,
}

/// Those that are compared with the simple one.
const WAYS: [Way; 4] = [
    Way::Fast(Groups::Never),
    Way::Fast(Groups::WherePaying),
    Way::Fast(Groups::Always),
    Way::WithoutSubgroups,
];

/// What a device gives.
pub fn ran(
    gpu: &Gpu,
    way: Way,
    schedule: &Checked<Schedule>,
    inputs: &[HostArray],
) -> Result<Vec<HostArray>, RunError> {
    let mut gpu = gpu.clone();
    gpu.is_simple = matches!(way, Way::Simple);
    match way {
        Way::Simple => {}
        Way::Fast(groups) => gpu.groups = groups,
        Way::WithoutSubgroups => {
            gpu.groups = Groups::WherePaying;
            gpu.context.target.has_subgroups = false;
        }
    }
    let executable = gpu.prepare(schedule).unwrap();
    gpu.run(&executable, inputs)
}

/// All ways give the same, and what the reference gives where there is little to do.
pub fn assert_agreement(
    gpu: &Gpu,
    schedule: &Checked<Schedule>,
    inputs: &[HostArray],
    what: &str,
) -> Result<Vec<HostArray>, RunError> {
    let expected = ran(gpu, Way::Simple, schedule, inputs);
    for way in WAYS {
        let found = ran(gpu, way, schedule, inputs);
        assert_eq!(found, expected, "{what} {way:?}");
    }
    if inputs
        .iter()
        .map(|input| input.column().len())
        .sum::<usize>()
        < 20_000
    {
        assert_eq!(expected, run::run(schedule, inputs), "{what}");
    }
    expected
}
