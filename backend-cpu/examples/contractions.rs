//! Measures contractions: matrix products, and those of a Gaussian mixture and its gradient.
//!
//! `cargo run --release -p cotangent-backend-cpu --example contractions`

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::type_complexity)] // A program to look at numbers with.

use cotangent_backend_cpu::{Cpu, Isa};
use cotangent_core::backend::{Backend, Site};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::Role::{Batch, Left, Right};
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, F32, F64, I32};
use std::hint::black_box;
use std::time::Instant;

/// A contraction over coordinates of the given sizes, those of the space first.
struct Maker {
    schedule: Schedule,
    inputs: Vec<HostArray>,
    body: Body,
    at: Vec<ValueId>,
    extents: Vec<SymbolId>,
    sizes: Vec<usize>,
    ty: ScalarType,
}

impl Maker {
    fn new(ty: ScalarType, sizes: &[usize]) -> Self {
        let mut scalars = Body::default();
        let literal = |&n: &usize| scalars.push(Op::Const((n as i32).into()), I32);
        let values: Vec<_> = sizes.iter().map(literal).collect();
        let extents: Vec<_> = (0..sizes.len() as u32).map(SymbolId).collect();
        let defines = extents.iter().copied().zip(values).collect();
        let mut body = Body::default();
        let coord = |axis| body.push(Op::Coord(axis as u32), I32);
        let at = (0..sizes.len()).map(coord).collect();
        let site = Site {
            construct: "measure",
            loc: Loc::UNKNOWN,
        };
        Self {
            schedule: Schedule {
                symbols: vec![I32; sizes.len()],
                arrays: vec![],
                sites: vec![site],
                params: vec![],
                uses: vec![],
                steps: vec![Step::Scalars {
                    body: scalars,
                    defines,
                }],
                results: vec![],
            },
            inputs: vec![],
            body,
            at,
            extents,
            sizes: sizes.to_vec(),
            ty,
        }
    }

    fn array(&mut self, extents: &[SymbolId]) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem: self.ty,
            extents: extents.to_vec(),
            layout: Layout::Own,
            site: SiteId(0),
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    fn input(&mut self, axes: &[usize]) -> ValueId {
        let shape: Vec<_> = axes.iter().map(|&a| self.sizes[a]).collect();
        let number = |i: usize| 0.1 + ((i as u32).wrapping_mul(2654435761) >> 12) as f64 * 1e-6;
        let numbers = (0..shape.iter().product()).map(number);
        let column: Column = match self.ty {
            F32 => numbers.map(|x| x as f32).collect::<Vec<_>>().into(),
            _ => numbers.collect::<Vec<_>>().into(),
        };
        self.inputs.push(HostArray::new(shape, column).unwrap());
        let first = self.schedule.symbols.len() as u32;
        let extents: Vec<_> = (0..axes.len() as u32)
            .map(|i| SymbolId(first + i))
            .collect();
        self.schedule.symbols.extend(axes.iter().map(|_| I32));
        let array = self.array(&extents);
        self.schedule.params.push(array);
        let load = Load {
            array,
            index: axes.iter().map(|&a| self.at[a]).collect(),
            guard: None,
            site: Some(SiteId(0)),
        };
        self.body.push(Op::Load(load), self.ty)
    }

    fn prim(&mut self, prim: Prim, x: ValueId, y: ValueId) -> ValueId {
        self.body.push(Op::Prim(prim, vec![x, y]), self.ty)
    }

    /// Runs it on every instruction set, with one and two threads.
    fn measure(mut self, name: &str, roles: &[Role], left: ValueId, right: ValueId) {
        let value = self.prim(Prim::Mul, left, right);
        let (space, inner) = self.extents.split_at(roles.len());
        let (space, inner) = (space.to_vec(), inner.to_vec());
        let array = self.array(&space);
        self.schedule.results.push(array);
        self.schedule.steps.push(Step::Kernel(Kernel {
            name: "measure",
            loc: Loc::UNKNOWN,
            fused: vec![],
            space,
            kind: KernelKind::Contract {
                semiring: Semiring::PlusTimes,
                inner,
                body: self.body,
                roles: roles.to_vec(),
                left,
                right,
                init: None,
                structure: Structure::default(),
                output: Output { value, array },
            },
        }));
        let schedule = check(self.schedule).unwrap();
        let flops = 2.0 * self.sizes.iter().product::<usize>() as f64;
        let mut line = format!("{name:30}");
        for isa in Isa::ALL {
            for threads in [1, 2] {
                let cpu = Cpu::builder().isa(isa).threads(threads).build().unwrap();
                let executable = cpu.prepare(&schedule).unwrap();
                let time = least(|| {
                    black_box(cpu.run(&executable, &self.inputs).unwrap());
                });
                line += &format!("  {isa:?}x{threads} {:6.1}", flops / time);
            }
        }
        println!("{line}  GFLOP/s");
    }
}

/// The least time of several runs, in nanoseconds.
fn least(mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64
    };
    (0..15).map(time).fold(f64::INFINITY, f64::min)
}

fn matrices(ty: ScalarType, batch: usize, n: usize) {
    let mut m = Maker::new(ty, &[batch, n, n, n]);
    let (a, b) = (m.input(&[0, 1, 3]), m.input(&[0, 3, 2]));
    m.measure(
        &format!("{batch} x {n}^3 {ty}"),
        &[Batch, Left, Right],
        a,
        b,
    );
    let mut m = Maker::new(ty, &[batch, n, n, n]);
    let (a, b) = (m.input(&[0, 1, 3]), m.input(&[0, 2, 3]));
    let name = format!("{batch} x {n}^3 {ty}, transposed");
    m.measure(&name, &[Batch, Left, Right], a, b);
}

/// The products of a mixture of `k` Gaussians of `d` dimensions, at `n` points.
fn mixture(n: usize, k: usize, d: usize) {
    let mut m = Maker::new(F64, &[n, k, d, d]);
    let (q, x, mean) = (m.input(&[1, 2, 3]), m.input(&[0, 3]), m.input(&[1, 3]));
    let centred = m.prim(Prim::Sub, x, mean);
    m.measure(&format!("y {n} {k} {d}"), &[Right, Batch, Left], q, centred);

    let mut m = Maker::new(F64, &[n, k, d, d]);
    let (r, y, q) = (m.input(&[0, 1]), m.input(&[0, 1, 3]), m.input(&[1, 3, 2]));
    let weighted = m.prim(Prim::Mul, r, y);
    m.measure(
        &format!("dx {n} {k} {d}"),
        &[Left, Batch, Right],
        weighted,
        q,
    );

    let mut m = Maker::new(F64, &[k, d, d, n]);
    let (r, y) = (m.input(&[3, 0]), m.input(&[3, 0, 1]));
    let (x, mean) = (m.input(&[3, 2]), m.input(&[0, 2]));
    let weighted = m.prim(Prim::Mul, r, y);
    let centred = m.prim(Prim::Sub, x, mean);
    m.measure(
        &format!("dQ {n} {k} {d}"),
        &[Batch, Left, Right],
        weighted,
        centred,
    );
}

fn main() {
    for ty in [F32, F64] {
        matrices(ty, 1, 512);
        matrices(ty, 64, 64);
    }
    for (n, k, d) in [
        (1000, 25, 10),
        (1000, 25, 32),
        (1000, 25, 64),
        (10_000, 5, 32),
    ] {
        mixture(n, k, d);
    }
}
