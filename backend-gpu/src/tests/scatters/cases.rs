//! Scatters to try: a schedule that copies an input and scatters into the copy, or into a view of it.

use crate::Gpu;
use cotangent_core::backend::{Backend, RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType::{self, Bool, I32};

/// How many points, elements of the target, and elements of its memory.
const POINTS: SymbolId = SymbolId(0);
const ELEMENTS: SymbolId = SymbolId(1);
const LENGTH: SymbolId = SymbolId(2);
/// Does not hold.
const FALSE: SymbolId = SymbolId(3);

/// The arrays: where to send, one that has as many elements as the target, and from here on some for each output.
const PLACES: ArrayId = ArrayId(0);
const SHAPE: ArrayId = ArrayId(1);
const OUTPUTS: u32 = 2;
const EACH: u32 = 5;

/// The arrays of an output: the values, the input, its copy, the memory that is written, the target.
fn arrays(output: usize) -> [ArrayId; EACH as usize] {
    let first = OUTPUTS + EACH * output as u32;
    std::array::from_fn(|n| ArrayId(first + n as u32))
}

/// A scatter to try.
pub struct Case {
    pub combine: Combine,
    pub types: Vec<ScalarType>,
    /// Nowhere is -1.
    pub places: Vec<i32>,
    pub values: Vec<Vec<Const>>,
    pub elements: usize,
    /// Where the target begins in its memory, and the distance of its elements.
    pub span: (u32, u32),
    /// Whether the memory is another array's, too.
    pub is_shared: bool,
}

/// So many places; some are nowhere.
pub fn places_at_random(points: usize, elements: usize) -> Vec<i32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ (points as u64) << 20 ^ elements as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize
    };
    let mut place = || match next() % 10 {
        0 => -1,
        _somewhere => (next() % elements) as i32,
    };
    (0..points).map(|_| place()).collect()
}

fn small(ty: ScalarType, count: usize, factor: usize) -> Vec<Const> {
    let value = |i: usize| Const::small(ty, (i * factor % 11) as i32 - 3);
    (0..count).map(value).collect()
}

fn host(ty: ScalarType, values: &[Const]) -> HostArray {
    let column = Column::from_consts(ty, values.iter().copied()).unwrap();
    HostArray::new(vec![values.len()], column).unwrap()
}

impl Case {
    pub fn new(combine: Combine, types: &[ScalarType], places: Vec<i32>, elements: usize) -> Self {
        let values = types.iter().enumerate();
        let values = values.map(|(n, &ty)| small(ty, places.len(), 5 + n));
        Self {
            combine,
            values: values.collect(),
            types: types.to_vec(),
            places,
            elements,
            span: (0, 1),
            is_shared: false,
        }
    }

    /// The elements of the target's memory.
    fn length(&self) -> usize {
        self.span.0 as usize + self.span.1 as usize * self.elements
    }

    /// What comes out: for each output the copy, if it is shared, and the memory that was written.
    pub fn expected(&self) -> Vec<Vec<Const>> {
        let outputs = self.types.iter().zip(&self.values);
        outputs
            .flat_map(|(&ty, values)| self.of_output(ty, values))
            .collect()
    }

    fn of_output(&self, ty: ScalarType, values: &[Const]) -> Vec<Vec<Const>> {
        let before = small(ty, self.length(), 3);
        let mut after = before.clone();
        for (&place, &value) in self.places.iter().zip(values) {
            if place == -1 {
                continue;
            }
            let at = self.span.0 as usize + self.span.1 as usize * place as usize;
            after[at] = match self.combine {
                Combine::Overwrite => value,
                Combine::Add => Prim::Add.eval(&[after[at], value]).unwrap(),
            };
        }
        match self.is_shared {
            true => vec![before, after],
            false => vec![after],
        }
    }

    pub fn run(&self, gpu: &Gpu) -> Result<Vec<Vec<Const>>, RunError> {
        let executable = gpu.executable(&self.schedule()).unwrap();
        let (results, _) = gpu.run_measured(&executable, &self.inputs())?;
        let elements = |array: HostArray| {
            let column = array.into_column();
            (0..column.len()).map(|i| column.get(i).unwrap()).collect()
        };
        Ok(results.into_iter().map(elements).collect())
    }

    pub fn inputs(&self) -> Vec<HostArray> {
        let places: Vec<_> = self.places.iter().map(|&p| Const::I32(p)).collect();
        let shape = vec![Const::Bool(false); self.elements];
        let outputs = self.types.iter().zip(&self.values);
        let outputs = outputs
            .flat_map(|(&ty, values)| [host(ty, values), host(ty, &small(ty, self.length(), 3))]);
        [host(I32, &places), host(Bool, &shape)]
            .into_iter()
            .chain(outputs)
            .collect()
    }

    pub fn schedule(&self) -> Schedule {
        let loc = Loc::caller();
        let outputs = || (0..self.types.len()).map(arrays);
        let shared = outputs().map(|[_, _, copy, written, _]| (written, copy, copy));
        let sharing = Step::If {
            cond: FALSE,
            then_: vec![],
            else_: vec![],
            symbols: vec![],
            arrays: shared.collect(),
        };
        let copies = outputs()
            .zip(&self.types)
            .map(|([_, input, copy, written, _], &ty)| {
                let to = if self.is_shared { copy } else { written };
                Step::Kernel(copying(ty, input, to))
            });
        let sharing = self.is_shared.then_some(sharing);
        let scatter = Step::Kernel(self.scatter());
        let results = outputs().flat_map(|[_, _, copy, written, _]| match self.is_shared {
            true => vec![copy, written],
            false => vec![written],
        });
        let params = outputs().flat_map(|[values, input, ..]| [values, input]);
        Schedule {
            symbols: vec![I32, I32, I32, Bool],
            arrays: self.declarations(),
            sites: vec![Site {
                construct: "test",
                loc,
            }],
            params: [PLACES, SHAPE].into_iter().chain(params).collect(),
            uses: vec![],
            steps: copies.chain(sharing).chain([scatter]).collect(),
            results: results.collect(),
        }
    }

    fn declarations(&self) -> Vec<ArrayDecl> {
        let own = |elem, extent| ArrayDecl {
            elem,
            extents: vec![extent],
            layout: Layout::Own,
            site: SiteId(0),
        };
        let mut all = vec![own(I32, POINTS), own(Bool, ELEMENTS)];
        for (n, &ty) in self.types.iter().enumerate() {
            let layout = Layout::View {
                of: arrays(n)[3],
                offset: self.span.0.into(),
                stride: self.span.1,
            };
            all.push(own(ty, POINTS));
            all.extend([LENGTH; 3].map(|length| own(ty, length)));
            all.push(ArrayDecl {
                layout,
                ..own(ty, ELEMENTS)
            });
        }
        all
    }

    fn scatter(&self) -> Kernel {
        let mut body = Body::default();
        let point = body.push(Op::Coord(0), I32);
        let place = body.push(element(PLACES, point), I32);
        let nowhere = body.push(Op::Const(Const::I32(-1)), I32);
        let guard = body.push(Op::Prim(Prim::Ne, vec![place, nowhere]), Bool);
        let outputs = self.types.iter().enumerate().map(|(n, &ty)| {
            let [values, _, _, written, view] = arrays(n);
            Output {
                value: body.push(element(values, point), ty),
                array: if self.span == (0, 1) { written } else { view },
            }
        });
        let outputs: Vec<_> = outputs.collect();
        let kind = KernelKind::Scatter {
            body,
            guard,
            target: vec![place],
            site: SiteId(0),
            combine: self.combine,
            outputs,
        };
        kernel("permute", POINTS, kind)
    }
}

fn element(array: ArrayId, index: ValueId) -> Op {
    Op::Load(Load {
        array,
        index: vec![index],
        guard: None,
        site: None,
    })
}

fn copying(ty: ScalarType, from: ArrayId, array: ArrayId) -> Kernel {
    let mut body = Body::default();
    let point = body.push(Op::Coord(0), I32);
    let value = body.push(element(from, point), ty);
    let outputs = vec![Output { value, array }];
    kernel("copy", LENGTH, KernelKind::Map { body, outputs })
}

fn kernel(name: &'static str, extent: SymbolId, kind: KernelKind) -> Kernel {
    Kernel {
        name,
        loc: Loc::caller(),
        fused: vec![],
        space: vec![extent],
        kind,
    }
}
