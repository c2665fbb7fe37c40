//! Measures kernels against plain loops: `cargo run --release -p cotangent-backend-cpu --example measure`.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::type_complexity)]

use cotangent_backend_cpu::{Cpu, Isa};
use cotangent_core::backend::{Backend, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Buffer, Column, HostArray};
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::check::check;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{F64, I32};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

struct Maker {
    schedule: Schedule,
    inputs: Vec<HostArray>,
}

impl Maker {
    fn new() -> Self {
        let site = Site {
            construct: "measure",
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

    fn symbol(&mut self) -> SymbolId {
        self.schedule.symbols.push(I32);
        SymbolId(self.schedule.symbols.len() as u32 - 1)
    }

    fn array(&mut self, extents: &[SymbolId]) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem: F64,
            extents: extents.to_vec(),
            layout: Layout::Own,
            site: SiteId(0),
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    fn input(&mut self, shape: &[usize]) -> (ArrayId, Vec<SymbolId>) {
        let values: Vec<f64> = numbers(shape.iter().product());
        self.inputs
            .push(HostArray::new(shape.to_vec(), values.into()).unwrap());
        let extents: Vec<_> = shape.iter().map(|_| self.symbol()).collect();
        let array = self.array(&extents);
        self.schedule.params.push(array);
        (array, extents)
    }

    fn output(&mut self, extents: &[SymbolId], value: ValueId) -> Vec<Output> {
        let array = self.array(extents);
        self.schedule.results.push(array);
        vec![Output { value, array }]
    }

    fn kernel(&mut self, space: &[SymbolId], kind: KernelKind) {
        self.schedule.steps.push(Step::Kernel(Kernel {
            name: "measure",
            loc: Loc::UNKNOWN,
            fused: vec![],
            space: space.to_vec(),
            kind,
        }));
    }

    fn sum(&mut self, space: &[SymbolId], inner: &[SymbolId], body: Body, value: ValueId) {
        let mut add = Body::default();
        let x = add.push(Op::Arg(0), F64);
        let y = add.push(Op::Arg(1), F64);
        let sum = add.push(Op::Prim(Prim::Add, vec![x, y]), F64);
        let outputs = self.output(space, value);
        let kind = KernelKind::Reduce {
            inner: inner.to_vec(),
            body,
            operator: Operator {
                body: add,
                results: vec![sum],
            },
            init: None,
            outputs,
        };
        self.schedule.steps.push(Step::Check(
            Check::NotEmpty {
                outer: space.to_vec(),
                inner: inner.to_vec(),
            },
            SiteId(0),
        ));
        self.kernel(space, kind);
    }
}

fn numbers(n: usize) -> Vec<f64> {
    let number = |i: usize| 0.1 + ((i as u32).wrapping_mul(2654435761) >> 12) as f64 * 1e-6;
    (0..n).map(number).collect()
}

fn load(body: &mut Body, array: ArrayId, index: &[ValueId]) -> ValueId {
    let load = Load {
        array,
        index: index.to_vec(),
        guard: None,
        site: Some(SiteId(0)),
    };
    body.push(Op::Load(load), F64)
}

fn prim(body: &mut Body, prim: Prim, operands: &[ValueId]) -> ValueId {
    body.push(Op::Prim(prim, operands.to_vec()), F64)
}

/// The least time of several runs, in nanoseconds.
fn least(mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    least
}

fn measure(name: &str, per: usize, maker: Maker, mut plain: impl FnMut(&[Arc<Buffer<f64>>])) {
    let columns: Vec<_> = (maker.inputs.iter())
        .filter_map(|input| match input.column() {
            Column::F64(v) => Some(v.clone()),
            _ => None,
        })
        .collect();
    let schedule = check(maker.schedule).unwrap();
    let mut line = format!(
        "{name:24} plain {:8.3}",
        least(|| plain(&columns)) / per as f64
    );
    for isa in Isa::ALL {
        for threads in [1, 2] {
            let cpu = Cpu::builder().isa(isa).threads(threads).build().unwrap();
            let executable = cpu.prepare(&schedule).unwrap();
            let time = least(|| {
                black_box(cpu.run(&executable, &maker.inputs).unwrap());
            });
            line += &format!("  {isa:?}x{threads} {:8.3}", time / per as f64);
        }
    }
    println!("{line}  ns per element");
}

fn map(name: &str, n: usize, prims: &[Prim], plain: fn(f64) -> f64) {
    let mut maker = Maker::new();
    let (x, space) = maker.input(&[n]);
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let x = load(&mut body, x, &[i]);
    let sum = prims.iter().fold(x, |sum, &p| {
        let y = prim(&mut body, p, &[x]);
        prim(&mut body, Prim::Add, &[sum, y])
    });
    let outputs = maker.output(&space, sum);
    maker.kernel(&space, KernelKind::Map { body, outputs });
    measure(name, n, maker, |inputs| {
        let out: Vec<f64> = inputs[0].iter().map(|&x| plain(x)).collect();
        black_box(out);
    });
}

fn dot(n: usize) {
    let mut maker = Maker::new();
    let (x, inner) = maker.input(&[n]);
    let (y, _) = maker.input(&[n]);
    let mut body = Body::default();
    let i = body.push(Op::Coord(0), I32);
    let (x, y) = (load(&mut body, x, &[i]), load(&mut body, y, &[i]));
    let xy = prim(&mut body, Prim::Mul, &[x, y]);
    maker.sum(&[], &inner, body, xy);
    measure(&format!("dot {n}"), n, maker, |inputs| {
        let pairs = inputs[0].iter().zip(inputs[1].iter());
        black_box(pairs.map(|(x, y)| x * y).sum::<f64>());
    });
}

fn sums(m: usize, n: usize, rows: bool) {
    let mut maker = Maker::new();
    let (a, extents) = maker.input(&[m, n]);
    let (outer, inner) = if rows { (0, 1) } else { (1, 0) };
    let mut body = Body::default();
    let (i, j) = (body.push(Op::Coord(0), I32), body.push(Op::Coord(1), I32));
    let index = if rows { [i, j] } else { [j, i] };
    let x = load(&mut body, a, &index);
    maker.sum(&[extents[outer]], &[extents[inner]], body, x);
    let name = format!("{} sums {m}x{n}", if rows { "row" } else { "column" });
    measure(&name, m * n, maker, |inputs| {
        let mut out = vec![0.0; if rows { m } else { n }];
        for i in 0..m {
            for j in 0..n {
                out[if rows { i } else { j }] += inputs[0][i * n + j];
            }
        }
        black_box(out);
    });
}

fn product(m: usize, k: usize, n: usize, transposed: bool) {
    let mut maker = Maker::new();
    let (a, ea) = maker.input(&[m, k]);
    let (b, eb) = maker.input(&if transposed { [n, k] } else { [k, n] });
    let mut body = Body::default();
    let [i, j, l] = [0, 1, 2].map(|c| body.push(Op::Coord(c), I32));
    let x = load(&mut body, a, &[i, l]);
    let y = load(&mut body, b, &if transposed { [j, l] } else { [l, j] });
    let xy = prim(&mut body, Prim::Mul, &[x, y]);
    maker.sum(&[ea[0], eb[usize::from(!transposed)]], &[ea[1]], body, xy);
    let name = format!("product {m}x{k}x{n}{}", if transposed { " T" } else { "" });
    measure(&name, m * k * n, maker, |inputs| {
        let mut out = vec![0.0; m * n];
        for i in 0..m {
            for l in 0..k {
                for j in 0..n {
                    let b = if transposed {
                        inputs[1][j * k + l]
                    } else {
                        inputs[1][l * n + j]
                    };
                    out[i * n + j] += inputs[0][i * k + l] * b;
                }
            }
        }
        black_box(out);
    });
}

/// Squared distances of n points to k centres in d dimensions: the inner loop of a Gaussian mixture.
fn distances(n: usize, k: usize, d: usize) {
    let mut maker = Maker::new();
    let (x, ex) = maker.input(&[d, n]);
    let (mu, em) = maker.input(&[k, d]);
    let mut body = Body::default();
    let [c, i, l] = [0, 1, 2].map(|c| body.push(Op::Coord(c), I32));
    let x = load(&mut body, x, &[l, i]);
    let mu = load(&mut body, mu, &[c, l]);
    let difference = prim(&mut body, Prim::Sub, &[x, mu]);
    let square = prim(&mut body, Prim::Mul, &[difference, difference]);
    maker.sum(&[em[0], ex[1]], &[ex[0]], body, square);
    measure(
        &format!("distances {n}x{k}x{d}"),
        n * k * d,
        maker,
        |inputs| {
            let mut out = vec![0.0; k * n];
            for c in 0..k {
                for l in 0..d {
                    for i in 0..n {
                        let difference = inputs[0][l * n + i] - inputs[1][c * d + l];
                        out[c * n + i] += difference * difference;
                    }
                }
            }
            black_box(out);
        },
    );
}

fn small() {
    let mut maker = Maker::new();
    let (x, space) = maker.input(&[10]);
    let mut x = x;
    for _ in 0..100 {
        let mut body = Body::default();
        let i = body.push(Op::Coord(0), I32);
        let y = load(&mut body, x, &[i]);
        let two = body.push(Op::Const(Const::F64(2.0)), F64);
        let y = prim(&mut body, Prim::Mul, &[y, two]);
        let outputs = maker.output(&space, y);
        x = outputs[0].array;
        maker.kernel(&space, KernelKind::Map { body, outputs });
    }
    maker.schedule.results = vec![x];
    measure("100 kernels on 10 (per kernel)", 100, maker, |_| {});
}

fn main() {
    map(
        "x + exp + ln + sin, 1M",
        1 << 20,
        &[Prim::Exp, Prim::Ln, Prim::Sin],
        |x| x + x.exp() + x.ln() + x.sin(),
    );
    let single: [(&str, Prim, fn(f64) -> f64); 5] = [
        ("x + exp, 10k", Prim::Exp, |x| x + x.exp()),
        ("x + ln, 10k", Prim::Ln, |x| x + x.ln()),
        ("x + sin, 10k", Prim::Sin, |x| x + x.sin()),
        ("x + tanh, 10k", Prim::Tanh, |x| x + x.tanh()),
        ("x + atan, 10k", Prim::Atan, |x| x + x.atan()),
    ];
    for (name, prim, plain) in single {
        map(name, 10_000, &[prim], plain);
    }
    map("x + sqrt + x, 1M", 1 << 20, &[Prim::Sqrt, Prim::Abs], |x| {
        x + x.sqrt() + x.abs()
    });
    map("x + sqrt + x, 10k", 10_000, &[Prim::Sqrt, Prim::Abs], |x| {
        x + x.sqrt() + x.abs()
    });
    dot(10_000);
    dot(1 << 20);
    sums(1000, 1000, true);
    sums(1000, 1000, false);
    sums(100_000, 10, true);
    sums(10, 100_000, false);
    product(256, 256, 256, false);
    product(256, 256, 256, true);
    distances(1000, 25, 32);
    small();
}
