//! Sorts as networks of comparisons, for engines that have no other way to sort (Batcher, *Sorting networks and their applications*, AFIPS 1968).
//!
//! ```text
//! kernel over [m, n]: argsort of key    becomes    kernel over [m, room]: K <- key where i < n, P <- i
//!     A <- key                                     repeat ½·l·(l + 1) times:
//!                                                      kernel over [m, room]: K, P <- what goes here of i and its partner
//!                                                  kernel over [m, n]: A <- P
//! ```
//!
//! `room` is the least power of two, 2ˡ, that is no less than n. Runs of 2, 4, … `room` elements are put in order, every other one the
//! wrong way round: so two make one that first rises and then falls, which comparisons of elements half a run apart, a quarter, … put
//! in order. Positions go with their keys and decide where those are equal. What is beyond the keys comes after all of them.
//!
//! Folds of segments become scans (`networks/segments.rs`).

mod segments;

use super::{
    ArrayDecl, ArrayId, Body, Carried, Kernel, KernelKind, Layout, Load, Op, Output, Repeat,
    Schedule, SiteId, Step, SymbolId, ValueId,
};
use crate::backend::Site;
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::SortOrder;
use crate::types::ScalarType::{self, Bool, I32};

/// A schedule without sorts and folds of segments.
#[derive(Clone, Debug)]
pub struct Networks {
    /// The schedule.
    pub schedule: Schedule,
    /// For each kernel, in the order of [`Schedule::kernels`], the position of the one in the schedule as it was that it is, or is a part of.
    pub origins: Vec<usize>,
}

/// The schedule with networks in the places of sorts, and scans in those of folds of segments; none if it has neither.
pub fn networks(schedule: &Schedule) -> Option<Networks> {
    let kernels = schedule.kernels();
    if !kernels.iter().any(|kernel| is_replaced(kernel)) {
        return None;
    }
    let mut maker = Maker {
        schedule: schedule.clone(),
        origins: vec![],
        count: 0,
    };
    let mut steps = std::mem::take(&mut maker.schedule.steps);
    maker.list(&mut steps);
    maker.schedule.steps = steps;
    Some(Networks {
        schedule: maker.schedule,
        origins: maker.origins,
    })
}

/// Whether a kernel is one that other steps take the place of.
fn is_replaced(kernel: &Kernel) -> bool {
    match &kernel.kind {
        KernelKind::Sort { .. } | KernelKind::Segments { .. } => true,
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Scatter { .. } => false,
    }
}

struct Maker {
    /// The schedule without its steps.
    schedule: Schedule,
    origins: Vec<usize>,
    /// The number of kernels of the schedule that were gone through.
    count: usize,
}

/// A kernel that sorts.
struct Sort<'a> {
    kernel: &'a Kernel,
    inner: SymbolId,
    order: SortOrder,
    body: &'a Body,
    output: Output,
    site: SiteId,
}

/// The symbols of a network.
struct Sizes {
    /// How many elements there is room for.
    room: SymbolId,
    passes: SymbolId,
    /// How long the runs of the first pass are, and how far apart what it compares.
    first: [SymbolId; 2],
}

/// The keys and their positions.
type Pair = [ArrayId; 2];

impl Maker {
    fn list(&mut self, steps: &mut Vec<Step>) {
        for mut step in std::mem::take(steps) {
            let replaced = step.as_kernel().filter(|kernel| is_replaced(kernel));
            let Some(kernel) = replaced.cloned() else {
                let own = step.kernels().len();
                self.origins.extend(self.count..self.count + own);
                self.count += own;
                for list in step.lists_mut() {
                    self.list(list);
                }
                steps.push(step);
                continue;
            };
            let from = steps.len();
            self.network(&kernel, steps);
            self.flagged(&kernel, steps);
            let made = super::steps::all(&steps[from..]).flat_map(Step::kernels);
            self.origins.extend(made.map(|_| self.count));
            self.count += 1;
        }
    }

    fn network(&mut self, kernel: &Kernel, steps: &mut Vec<Step>) {
        let KernelKind::Sort {
            inner,
            order,
            body,
            output,
        } = &kernel.kind
        else {
            return;
        };
        let sort = Sort {
            kernel,
            inner: *inner,
            order: *order,
            body,
            output: *output,
            site: self.site(kernel),
        };
        let sizes = self.sizes(sort.inner, steps);
        let space = [&kernel.space[..], &[sizes.room]].concat();
        let [first, inside, next, last] = [(); 4].map(|()| self.pair(&sort, &space));
        steps.push(sort.begin(&space, first));
        let now = [(); 2].map(|()| self.symbol(I32));
        let mut body = vec![sort.pass(&space, now, (inside, next))];
        let then = self.next_pass(now, &mut body);
        let carried = |n: usize| Carried {
            first: first[n],
            inside: inside[n],
            next: next[n],
            last: last[n],
        };
        let symbols = [0, 1].map(|n| Carried {
            first: sizes.first[n],
            inside: now[n],
            next: then[n],
            last: self.symbol(I32),
        });
        steps.push(Step::Repeat(Repeat {
            site: None,
            most: sizes.passes,
            number: self.symbol(I32),
            made: self.symbol(I32),
            test: None,
            body,
            symbols: symbols.to_vec(),
            arrays: vec![carried(0), carried(1)],
        }));
        steps.push(sort.end(last[1]));
    }

    /// Has the host find out how large a network for so many elements is.
    fn sizes(&mut self, n: SymbolId, steps: &mut Vec<Step>) -> Sizes {
        let mut code = Code::default();
        let n = code.push(Op::Symbol(n), I32);
        let one = code.int(1);
        let mut ones = code.prim(Prim::Sub, &[n, one], I32);
        for shift in [1, 2, 4, 8, 16] {
            let shift = code.int(shift);
            let shifted = code.prim(Prim::Shr, &[ones, shift], I32);
            ones = code.prim(Prim::BitOr, &[ones, shifted], I32);
        }
        let room = code.prim(Prim::Add, &[ones, one], I32);
        let levels = code.bits(ones);
        let more = code.prim(Prim::Add, &[levels, one], I32);
        let twice = code.prim(Prim::Mul, &[levels, more], I32);
        let passes = code.prim(Prim::Shr, &[twice, one], I32);
        let two = code.int(2);
        let [room, passes, run, apart] = self.define(code.0, [room, passes, two, one], steps);
        Sizes {
            room,
            passes,
            first: [run, apart],
        }
    }

    /// The length of runs and the distance in the pass after one.
    fn next_pass(&mut self, [run, apart]: [SymbolId; 2], steps: &mut Vec<Step>) -> [SymbolId; 2] {
        let mut code = Code::default();
        let [run, apart] = [run, apart].map(|symbol| code.push(Op::Symbol(symbol), I32));
        let one = code.int(1);
        let is_last = code.prim(Prim::Eq, &[apart, one], Bool);
        let longer = code.prim(Prim::Shl, &[run, one], I32);
        let nearer = code.prim(Prim::Shr, &[apart, one], I32);
        let next_run = code.prim(Prim::Select, &[is_last, longer, run], I32);
        let next_apart = code.prim(Prim::Select, &[is_last, run, nearer], I32);
        self.define(code.0, [next_run, next_apart], steps)
    }

    fn define<const N: usize>(
        &mut self,
        body: Body,
        values: [ValueId; N],
        steps: &mut Vec<Step>,
    ) -> [SymbolId; N] {
        let symbols = values.map(|_| self.symbol(I32));
        let defines = symbols.into_iter().zip(values).collect();
        steps.push(Step::Scalars { body, defines });
        symbols
    }

    fn pair(&mut self, sort: &Sort, space: &[SymbolId]) -> Pair {
        [sort.key_type(), I32].map(|elem| self.array(elem, space, sort.site))
    }

    fn array(&mut self, elem: ScalarType, extents: &[SymbolId], site: SiteId) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem,
            extents: extents.to_vec(),
            layout: Layout::Own,
            site,
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    fn symbol(&mut self, ty: ScalarType) -> SymbolId {
        self.schedule.symbols.push(ty);
        SymbolId(self.schedule.symbols.len() as u32 - 1)
    }

    fn site(&mut self, kernel: &Kernel) -> SiteId {
        self.schedule.sites.push(Site {
            construct: kernel.name,
            loc: kernel.loc,
        });
        SiteId(self.schedule.sites.len() as u32 - 1)
    }
}

impl Sort<'_> {
    fn key_type(&self) -> ScalarType {
        self.body.type_of(self.output.value)
    }

    fn rank(&self) -> usize {
        self.kernel.space.len()
    }

    fn map(&self, space: &[SymbolId], body: Body, outputs: Vec<Output>) -> Step {
        Step::Kernel(Kernel {
            name: self.kernel.name,
            loc: self.kernel.loc,
            fused: self.kernel.fused.clone(),
            space: space.to_vec(),
            kind: KernelKind::Map { body, outputs },
        })
    }

    /// Keys, and zeros beyond them, with their positions.
    fn begin(&self, space: &[SymbolId], to: Pair) -> Step {
        let mut code = Code::default();
        let i = code.push(Op::Coord(self.rank() as u32), I32);
        let n = code.push(Op::Symbol(self.inner), I32);
        let is_key = code.prim(Prim::Lt, &[i, n], Bool);
        let own = [self.output.value];
        let key = code
            .0
            .append_needed((self.body, &own), |body, (_, inst), new| {
                super::chunks::guarded(body, inst, new, is_key)
            })[0];
        let ty = self.key_type();
        let zero = code.push(Op::Const(Const::zero(ty)), ty);
        let key = code.prim(Prim::Select, &[is_key, key, zero], ty);
        self.map(space, code.0, outputs(to, [key, i]))
    }

    /// Puts what is there in the order of the runs that a pass makes.
    fn pass(
        &self,
        space: &[SymbolId],
        [run, apart]: [SymbolId; 2],
        (from, to): (Pair, Pair),
    ) -> Step {
        let mut code = Code::default();
        let coords = 0..=self.rank() as u32;
        let index: Vec<_> = coords.map(|axis| code.push(Op::Coord(axis), I32)).collect();
        let i = index[self.rank()];
        let [run, apart] = [run, apart].map(|symbol| code.push(Op::Symbol(symbol), I32));
        let partner = code.prim(Prim::BitXor, &[i, apart], I32);
        let mut beside = index.clone();
        beside[self.rank()] = partner;
        let types = [self.key_type(), I32];
        let [mine, other] = [index, beside].map(|index| {
            let load = |n: usize| (from[n], index.clone(), types[n]);
            [load(0), load(1)].map(|(array, index, ty)| code.load(array, index, ty))
        });
        let zero = code.int(0);
        let side = code.prim(Prim::BitAnd, &[i, run], I32);
        let rises = code.prim(Prim::Eq, &[side, zero], Bool);
        let is_lower = code.prim(Prim::Lt, &[i, partner], Bool);
        let wants_first = code.prim(Prim::Eq, &[is_lower, rises], Bool);
        let other_is_first = self.comes_before(&mut code, other, mine);
        let takes = code.prim(Prim::Eq, &[other_is_first, wants_first], Bool);
        let chosen = [0, 1].map(|n| code.prim(Prim::Select, &[takes, other[n], mine[n]], types[n]));
        self.map(space, code.0, outputs(to, chosen))
    }

    /// Whether a key with its position comes before another; no two are alike, as their positions differ.
    fn comes_before(&self, code: &mut Code, [x, i]: [ValueId; 2], [y, j]: [ValueId; 2]) -> ValueId {
        let keys = match self.order {
            SortOrder::Ascending => [x, y],
            SortOrder::Descending => [y, x],
        };
        let before = code.is_less(keys, self.key_type());
        let after = code.is_less([keys[1], keys[0]], self.key_type());
        let first = code.prim(Prim::Lt, &[i, j], Bool);
        let not_after = code.prim(Prim::Not, &[after], Bool);
        let as_it_stands = code.prim(Prim::And, &[not_after, first], Bool);
        let by_key = code.prim(Prim::Or, &[before, as_it_stands], Bool);
        let n = code.push(Op::Symbol(self.inner), I32);
        let later = code.prim(Prim::Max, &[i, j], I32);
        let are_keys = code.prim(Prim::Lt, &[later, n], Bool);
        code.prim(Prim::Select, &[are_keys, by_key, first], Bool)
    }

    fn end(&self, positions: ArrayId) -> Step {
        let mut code = Code::default();
        let coords = 0..=self.rank() as u32;
        let index = coords.map(|axis| code.push(Op::Coord(axis), I32)).collect();
        let value = code.load(positions, index, I32);
        let array = self.output.array;
        let space = [&self.kernel.space[..], &[self.inner]].concat();
        self.map(&space, code.0, vec![Output { value, array }])
    }
}

fn outputs(arrays: Pair, values: [ValueId; 2]) -> Vec<Output> {
    let pairs = values.into_iter().zip(arrays);
    pairs
        .map(|(value, array)| Output { value, array })
        .collect()
}

/// Scalar code as it is written.
#[derive(Default)]
struct Code(Body);

impl Code {
    fn push(&mut self, op: Op, ty: ScalarType) -> ValueId {
        self.0.push(op, ty)
    }

    fn int(&mut self, value: i32) -> ValueId {
        self.push(Op::Const(value.into()), I32)
    }

    fn prim(&mut self, prim: Prim, operands: &[ValueId], ty: ScalarType) -> ValueId {
        self.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    fn load(&mut self, array: ArrayId, index: Vec<ValueId>, ty: ScalarType) -> ValueId {
        let load = Load {
            array,
            index,
            guard: None,
            site: None,
        };
        self.push(Op::Load(load), ty)
    }

    /// The number of bits that are set, of a number that is not negative; of −1 none.
    fn bits(&mut self, of: ValueId) -> ValueId {
        let (zero, one) = (self.int(0), self.int(1));
        let of = self.prim(Prim::Max, &[of, zero], I32);
        let mut total = zero;
        for shift in 0..31 {
            let shift = self.int(shift);
            let shifted = self.prim(Prim::Shr, &[of, shift], I32);
            let bit = self.prim(Prim::BitAnd, &[shifted, one], I32);
            total = self.prim(Prim::Add, &[total, bit], I32);
        }
        total
    }

    /// Whether the first key is less than the second, in the order of [`Const::sort_cmp`].
    fn is_less(&mut self, [x, y]: [ValueId; 2], ty: ScalarType) -> ValueId {
        if ty == Bool {
            let not = self.prim(Prim::Not, &[x], Bool);
            return self.prim(Prim::And, &[not, y], Bool);
        }
        let less = self.prim(Prim::Lt, &[x, y], Bool);
        if !ty.is_float() {
            return less;
        }
        let [x_is_nan, y_is_nan] = [x, y].map(|v| self.prim(Prim::IsNan, &[v], Bool));
        let x_is_number = self.prim(Prim::Not, &[x_is_nan], Bool);
        let by_nan = self.prim(Prim::And, &[x_is_number, y_is_nan], Bool);
        self.prim(Prim::Or, &[less, by_nan], Bool)
    }
}
