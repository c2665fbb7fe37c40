//! Random strips: their totals are those of reductions by themselves, whatever the operator, the initial value, and
//! how chunks and groups are cut.

use super::maker::{Code, Maker, composition, last, operator};
use super::*;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::strip::Cuts;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::I32;
use quickcheck::{Arbitrary, Gen};

/// The arrays that hold chunks; many, as chunks are cut by their bytes.
const COLUMNS: usize = 16;

/// How a total is put together. All are exact, and only sums and exclusive ors do not depend on the order.
#[derive(Clone, Copy, Debug)]
enum Way {
    Sum,
    Xor,
    /// Affine maps, on pairs.
    Composition,
    /// The right operand.
    Last,
    /// The left operand.
    First,
    /// The maximum with the position where it is found first.
    Extremum,
}

/// A strip over `n` positions of `m` numbers each.
#[derive(Clone, Debug)]
struct Strips {
    n: i32,
    m: i32,
    /// How each total is put together, and whether it has an initial value.
    totals: Vec<(Way, bool)>,
    /// Whether the first column is a result, too.
    lasts: bool,
}

impl Way {
    fn operator(self) -> Operator {
        match self {
            Self::Sum => operator(Prim::Add, I32),
            Self::Xor => operator(Prim::BitXor, I32),
            Self::Composition => composition(),
            Self::Last => last(I32),
            Self::First => Operator {
                results: vec![ValueId(0)],
                ..last(I32)
            },
            Self::Extremum => extremum(),
        }
    }
}

/// On pairs: the greater first component, the first of equals, with its companion.
fn extremum() -> Operator {
    let mut code = Code::default();
    let [x, i, y, j] = [0, 1, 2, 3].map(|n| code.arg(n, I32));
    let stays = code.prim(Prim::Ge, &[x, y]);
    let results = vec![
        code.prim(Prim::Select, &[stays, x, y]),
        code.prim(Prim::Select, &[stays, i, j]),
    ];
    Operator {
        body: code.0,
        results,
    }
}

impl Arbitrary for Strips {
    fn arbitrary(g: &mut Gen) -> Self {
        use Way::{Composition, Extremum, First, Last, Sum, Xor};
        let ways = [Sum, Xor, Composition, Last, First, Extremum];
        let total = |g: &mut Gen| (*g.choose(&ways).unwrap(), bool::arbitrary(g));
        let count = usize::arbitrary(g) % 3 + 1;
        Self {
            n: *g.choose(&[1, 2, 31, 64, 65, 100, 400]).unwrap(),
            m: *g.choose(&[1, 2, 5]).unwrap(),
            totals: (0..count).map(|_| total(g)).collect(),
            lasts: bool::arbitrary(g),
        }
    }
}

/// A schedule in the making, with a strip or with kernels by themselves.
struct Made {
    maker: Maker,
    over: SymbolId,
    width: SymbolId,
    /// The extent of what is made chunk by chunk: that of a chunk, or of the whole.
    len: SymbolId,
    strip: Option<Strip>,
}

impl Made {
    fn new(spec: &Strips, stripped: bool) -> Self {
        let mut maker = Maker::new();
        let (over, width) = (maker.known(spec.n), maker.known(spec.m));
        let strip = stripped.then(|| Strip {
            over,
            start: maker.symbol(I32),
            len: maker.symbol(I32),
            kernels: vec![],
            parts: vec![],
            totals: vec![],
        });
        let len = strip.as_ref().map_or(over, |strip| strip.len);
        Self {
            maker,
            over,
            width,
            len,
            strip,
        }
    }

    fn kernel(&mut self, space: &[SymbolId], kind: KernelKind) {
        self.maker.kernel(space, kind);
        if let Some(strip) = &mut self.strip
            && let Some(Step::Kernel(kernel)) = self.maker.schedule.steps.pop()
        {
            strip.kernels.push(kernel);
        }
    }

    /// A number for each position of the dimension, and of the others: small, and unlike those of its neighbours.
    fn columns(&mut self) -> Vec<ArrayId> {
        let mut code = Code::default();
        let [i, j] = [code.coord(0), code.coord(1)];
        let i = match &self.strip {
            Some(strip) => {
                let start = code.symbol(strip.start, I32);
                code.prim(Prim::Add, &[i, start])
            }
            None => i,
        };
        let [seven, big, modulus] = [7, 7919, 23].map(|x| code.constant(x));
        let (i, j) = (
            code.prim(Prim::Mul, &[i, big]),
            code.prim(Prim::Mul, &[j, seven]),
        );
        let sum = code.prim(Prim::Add, &[i, j]);
        let squared = code.prim(Prim::Mul, &[sum, i]);
        let mixed = code.prim(Prim::BitXor, &[sum, squared]);
        let value = code.prim(Prim::ModFloor, &[mixed, modulus]);
        let values: Vec<_> = (0..COLUMNS as i32)
            .map(|k| {
                let k = code.constant(k - 3);
                code.prim(Prim::Add, &[value, k])
            })
            .collect();
        let extents = [self.len, self.width];
        let arrays: Vec<_> = values
            .iter()
            .map(|_| self.maker.own(I32, &extents))
            .collect();
        let outputs = arrays.iter().zip(&values);
        let outputs = outputs.map(|(&array, &value)| Output { value, array });
        let kind = KernelKind::Map {
            outputs: outputs.collect(),
            body: code.0,
        };
        self.kernel(&extents, kind);
        arrays
    }

    /// Hands a column on as a whole.
    fn last(&mut self, part: ArrayId) {
        let whole = match &mut self.strip {
            Some(strip) => {
                let whole = self.maker.own(I32, &[self.over, self.width]);
                strip.parts.push(Part { whole, part });
                whole
            }
            None => part,
        };
        self.maker.schedule.results.push(whole);
    }

    /// Reduces columns along the dimension.
    fn total(&mut self, columns: &[ArrayId], way: Way, init: Option<Vec<SymbolId>>) {
        let operator = way.operator();
        let mut code = Code::default();
        let [j, i] = [code.coord(0), code.coord(1)];
        let loads = columns
            .iter()
            .map(|&column| code.load(column, I32, &[i, j]));
        let values: Vec<_> = loads.collect();
        let extents = [self.width];
        let outputs = self.maker.outputs(&extents, &code.0, &values);
        let mut inside = outputs.clone();
        let mut kernel_init = init.clone();
        if let Some(strip) = &mut self.strip {
            for output in &mut inside {
                output.array = self.maker.own(I32, &extents);
            }
            let arrays = outputs.iter().zip(&inside).map(|(whole, part)| Part {
                whole: whole.array,
                part: part.array,
            });
            strip.totals.push(Total {
                operator: operator.clone(),
                init: kernel_init.take(),
                arrays: arrays.collect(),
            });
        }
        let kind = KernelKind::Reduce {
            inner: vec![self.len],
            body: code.0,
            operator,
            init: kernel_init,
            outputs: inside,
        };
        self.kernel(&extents, kind);
    }
}

impl Strips {
    fn schedule(&self, stripped: bool) -> Schedule {
        let mut made = Made::new(self, stripped);
        // Initial values are defined before the strip.
        let inits = self.totals.iter().enumerate().map(|(k, (way, has_init))| {
            let count = way.operator().results.len();
            has_init.then(|| {
                (0..count)
                    .map(|c| made.maker.known(5 + (3 * k + c) as i32))
                    .collect()
            })
        });
        let inits: Vec<Option<Vec<SymbolId>>> = inits.collect();
        let columns = made.columns();
        if self.lasts {
            made.last(columns[0]);
        }
        for (k, ((way, _), init)) in self.totals.iter().zip(inits).enumerate() {
            let count = way.operator().results.len();
            made.total(&columns[2 * k + 1..][..count], *way, init);
        }
        if let Some(strip) = made.strip.take() {
            made.maker.schedule.steps.push(Step::Strip(strip));
        }
        made.maker.schedule
    }

    /// How the strip is cut.
    fn cuts(&self) -> Cuts {
        let schedule = self.schedule(true);
        let Some(Step::Strip(strip)) = schedule.steps.last() else {
            panic!("a strip comes last");
        };
        let symbol = |s: SymbolId| match s {
            _ if s == strip.over => i64::from(self.n),
            _width => i64::from(self.m),
        };
        Cuts::new(strip, &schedule.arrays, &symbol)
    }

    /// All engines and the reference runner agree on the strip, and with kernels by themselves.
    fn check(&self) {
        let stripped = super::against_reference(self.schedule(true), &[]).unwrap();
        let apart = check(self.schedule(false)).unwrap();
        let apart = run::run(&apart, &[]).unwrap();
        assert_eq!(bits(&apart), bits(&stripped), "{self:?}");
    }
}

#[test]
fn random_strips_give_what_their_kernels_give_by_themselves() {
    for seed in 0..60 {
        Strips::arbitrary(&mut Gen::from_size_and_seed(20, seed)).check();
    }
}

/// Totals from other initial values than zero, by operators that do not commute: the initial value comes once and first, and
/// groups follow each other.
#[test]
fn groups_and_chunks_are_combined_in_order_from_the_initial_value_on() {
    use Way::{Composition, Extremum, First, Last, Sum};
    let specs = [
        [(Composition, true), (Sum, true), (Last, false)],
        [(Composition, false), (First, false), (Extremum, false)],
        [(First, true), (Extremum, true), (Last, true)],
    ];
    for totals in specs {
        let spec = Strips {
            n: 3300,
            m: 16,
            totals: totals.to_vec(),
            lasts: false,
        };
        let cuts = spec.cuts();
        assert!(cuts.groups >= 3, "{cuts:?}");
        spec.check();
        // Two chunks in one group.
        let spec = Strips { n: 1900, ..spec };
        let cuts = spec.cuts();
        assert!(cuts.groups == 1 && cuts.chunks(0).count() == 2, "{cuts:?}");
        spec.check();
    }
}
