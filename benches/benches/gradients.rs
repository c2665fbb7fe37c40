//! What a derivative costs: the time of value and gradient over the time of the value alone, for each family of operations and
//! for loops, beside the limit that it is to keep to.

use cotangent::prelude::*;
use cotangent_adbench::lstm::{self, LstmInput};
use cotangent_benches::Failure;
use cotangent_benches::ratios::{Ratios, balanced, matrix, vector};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

fn main() -> Result<(), Failure> {
    let bench = Ratios::parse()?;
    reductions(&bench)?;
    indexing(&bench)?;
    coupled(&bench)?;
    second(&bench)?;
    scalar_loops(&bench)?;
    array_loops(&bench)?;
    entries(&bench)
}

fn reductions(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(1_000_000, 1000);
    bench.case(
        ("sum of squares", 4.0),
        |x: Vector| x.map(|x| x * x).sum(),
        vector(n)?,
    )?;
    bench.case(("maximum", 4.0), |x: Vector| x.maximum(), vector(n)?)?;
    let product = |x: Vector| x.product();
    bench.case(("product", 6.0), product, balanced(n)?)?;
    bench.case(("product that underflows", 6.0), product, vector(n)?)?;
    let general = |x: Vector| x.fold(0.0, |a, b| a + b + a * b * 1e-9);
    bench.case(("general fold", 6.0), general, vector(n)?)?;
    let log_sum_exp = |x: Vector| {
        let top = x.maximum();
        let sum = x.map(|x| (x - top.the()).exp()).sum();
        sum.zip_with(top, |sum, top| sum.ln() + top)
    };
    bench.case(
        ("log-sum-exp, greatest captured", 4.0),
        log_sum_exp,
        vector(n)?,
    )?;
    bench.case(
        ("scanl1 +", 6.0),
        |x: Vector| x.scanl1(|a, b| a + b).sum(),
        vector(n)?,
    )?;
    bench.case(
        ("scanl1 ×", 6.0),
        |x: Vector| x.scanl1(|a, b| a * b).sum(),
        vector(n)?,
    )?;
    bench.case(
        ("scanl1 max", 6.0),
        |x: Vector| x.scanl1(|a, b| a.max(b)).sum(),
        vector(n)?,
    )
}

fn indexing(bench: &Ratios) -> Result<(), Failure> {
    let (n, side) = (bench.size(1_000_000, 1000), bench.size(1000, 30));
    let outer = |(x, y): (Vector, Vector)| {
        let product = generate(ix![x.size(), y.size()], |ix![i, j]| {
            x.at(ix![i]) * y.at(ix![j])
        });
        product.map(|x| x * x).sum_all()
    };
    bench.case(
        ("outer product by at", 4.0),
        outer,
        (vector(side)?, vector(side)?),
    )?;
    let convolution = |(x, w): (Vector, Vector)| {
        let at = |ix![i]: Ix1| {
            let tap = |k: i32| x.at(ix![i + k]) * w.at(ix![k]);
            (1..9).fold(tap(0), |sum, k| sum + tap(k))
        };
        generate(ix![x.size() - 8], at).map(|x| x * x).sum()
    };
    let input = || Ok::<_, Failure>((vector(n)?, vector(9)?));
    bench.case(("convolution of 9 taps by at", 5.0), convolution, input()?)?;
    let by_signal =
        move |(x, w): (Vector, Vector)| value_and_gradient_a(move |x| convolution((x, w)), x);
    bench.pair(
        ("… by the signal alone", 5.0),
        (convolution, by_signal),
        input()?,
    )?;
    let by_taps =
        move |(x, w): (Vector, Vector)| value_and_gradient_a(move |w| convolution((x, w)), w);
    bench.pair(
        ("… by the taps alone", 5.0),
        (convolution, by_taps),
        input()?,
    )?;
    let interior = |m: Matrix| {
        let Snoc(Snoc(_, rows), columns) = m.shape();
        let at = |ix![i, j]: Ix2| {
            let (up, down) = (m.at(ix![i, j + 1]), m.at(ix![i + 2, j + 1]));
            let (left, right) = (m.at(ix![i + 1, j]), m.at(ix![i + 1, j + 2]));
            up * down + left * right
        };
        generate(ix![rows - 2, columns - 2], at).sum_all()
    };
    bench.case(("interior stencil", 5.0), interior, matrix(side, side)?)?;
    let square = |a: Matrix| {
        let rows = a.replicate(ix![All, a.shape().0.1, All]);
        let columns = a.transpose().replicate(ix![a.shape().0.1, All, All]);
        rows.zip_with(columns, |x, y| x * y).sum().sum_all()
    };
    let size = bench.size(400, 20);
    bench.case(("sum of A·A", 4.0), square, matrix(size, size)?)?;
    // The gradient is zeros but for a row: the least that it can take is what zeros take.
    let row = |m: Matrix| m.slice(ix![3, All]).sum();
    let value = move |m: Matrix| (row(m), fill(m.shape(), 0.0f64));
    let gradient = move |m: Matrix| value_and_gradient_a(row, m);
    let name = "one row of a matrix, beside zeros for all";
    bench.pair((name, 1.5), (value, gradient), matrix(side, side)?)
}

fn coupled(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(1_000_000, 1000);
    let times =
        |(a, b): (Exp<f64>, Exp<f64>), (c, d): (Exp<f64>, Exp<f64>)| (a * c - b * d, a * d + b * c);
    let pairs = |x: Vector| x.map(|x| (x.cos(), x.sin()));
    let fold = move |x: Vector| pairs(x).fold1(times).map(|(a, b)| a + b);
    bench.case(("product of complex numbers", 6.0), fold, vector(n)?)?;
    let scan = move |x: Vector| pairs(x).scanl1(times).map(|(a, b)| a + b).sum();
    bench.case(("scan of complex numbers", 6.0), scan, vector(n)?)?;
    let affine = |x: Vector| {
        let maps = x.map(|x| (x * 0.5, x));
        maps.scanl1(|(a, b), (c, d)| (a * c, b * c + d))
            .map(|(_, b)| b)
            .sum()
    };
    bench.case(("scan of affine maps", 6.0), affine, vector(n)?)?;
    type Four = (Exp<f64>, Exp<f64>, Exp<f64>, Exp<f64>);
    let times = |(a, b, c, d): Four, (e, f, g, h): Four| {
        (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
    };
    let turns = move |x: Vector| {
        let all = x.map(|x| (1.0 - x * x, x, -x, 1.0 - x * x)).scanl1(times);
        all.map(|(a, b, c, d)| a * b + c * d).sum()
    };
    bench.case(("scan of matrices, 2 × 2", 6.0), turns, vector(n)?)
}

/// Second derivatives over first ones.
fn second(bench: &Ratios) -> Result<(), Failure> {
    let square = |a: Matrix| {
        let rows = a.replicate(ix![All, a.shape().0.1, All]);
        let columns = a.transpose().replicate(ix![a.shape().0.1, All, All]);
        rows.zip_with(columns, |x, y| x * y).sum().map(|x| x.tanh())
    };
    let gradient = move |a: Matrix| gradient_a(move |a| square(a).sum_all(), a);
    let times = move |a: Matrix| jvp_a(gradient, a, a).1;
    let norm = move |a: Matrix| gradient(a).map(|x| x * x).sum_all();
    let twice = move |a: Matrix| gradient_a(norm, a);
    let size = bench.size(256, 16);
    let name = "tanh(A·A): Hessian times a vector ÷ gradient";
    bench.pair((name, 4.0), (gradient, times), matrix(size, size)?)?;
    let name = "… gradient of the gradient's norm ÷ gradient";
    bench.pair((name, 4.0), (gradient, twice), matrix(size, size)?)
}

fn scalar_loops(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(100_000, 100);
    let newton = |v: Vector| {
        let root = |c: Exp<f64>| {
            let far = |x: Exp<f64>| (x * x - c).abs().gt(1e-12);
            iterate_while(50, far, |_, x: Exp<f64>| (x + c / x) / 2.0, 1.0)
        };
        v.map(root).sum()
    };
    bench.case(("Newton's method per element", 5.0), newton, vector(n)?)?;
    let filter = |m: Matrix| {
        let smooth = m.fold_seq(0.5, |_, s: Exp<f64>, x| s * 0.75 + x * x * 0.25);
        smooth.sum()
    };
    bench.case(("filter along rows", 5.0), filter, matrix(n, 100)?)?;
    let horner = |(c, x): (Vector, Vector)| {
        x.map(|x| c.fold_in_order(0.0, |_, sum: Exp<f64>, c| sum * x + c))
            .sum()
    };
    bench.case(
        ("Horner's scheme, 30 coefficients", 5.0),
        horner,
        (vector(30)?, vector(n)?),
    )
}

/// One step of a recurrent network.
fn recurrent(w: Matrix, h: Vector, x: Vector) -> Vector {
    let rows = h.replicate(ix![w.shape().0.1, All]);
    let h = w.zip_with(rows, |w, h| w * h).sum();
    h.zip_with(x, |h, x| (h * 0.01 + x).tanh())
}

fn array_loops(bench: &Ratios) -> Result<(), Failure> {
    let network = |(w, inputs): (Matrix, Matrix)| {
        let step = |_, h, x| {
            let h = recurrent(w, h, x);
            (h, h)
        };
        let (_, all) = ascan(inputs, step, fill(ix![w.shape().0.1], 0.0));
        all.sum_all()
    };
    for (width, trips) in [(64, 1000), (512, 100)] {
        let (width, trips) = (bench.size(width, 8), bench.size(trips, 10));
        let name = format!("recurrent network, {width} × {trips} trips");
        let input = (matrix(width, width)?, matrix(trips, width)?);
        bench.case((&name, 5.0), network, input)?;
    }
    let lstm = |(main, extra, state, sequence): (Matrix, Matrix, Matrix, Matrix)| {
        lstm::model::objective::<f64, 2>((main, extra), state, sequence)
    };
    let characters = bench.size(1000, 10);
    let input = LstmInput::generate(2, characters, 14, 1)?;
    let name = "LSTM, 2 layers × 1000 characters";
    let by_parameters = move |(main, extra, state, sequence): (Matrix, Matrix, Matrix, Matrix)| {
        let loss = |(main, extra)| lstm((main, extra, state, sequence));
        value_and_gradient_a(loss, (main, extra))
    };
    let data = lstm::model::data(&input)?;
    bench.pair((name, 5.0), (lstm, by_parameters), data)?;
    let side = bench.size(512, 16);
    for (name, curved) in [
        ("heat, 100 trips", false),
        ("heat with a sine, 100 trips", true),
    ] {
        bench.case(
            (name, 5.0),
            move |m: Matrix| heat(m, curved),
            matrix(side, side)?,
        )?;
    }
    let n = bench.size(1000, 50);
    let chain = |v: Vector| {
        let step = |k: Exp<i32>, s: Vector| {
            let parent = s.at(ix![(k - 1).max(0)]);
            let next = unit(parent * s.at(ix![k]).cos() + 0.1);
            next.reshape(ix![1])
                .permute(Combine::Overwrite, s, |_| (true, ix![k]))
        };
        aiterate(v.size(), step, v).sum()
    };
    bench.case(("elements written one by one", 5.0), chain, vector(n)?)
}

/// Loops for each element that read entries of an array `[T; N]`, and replace some: the time is to depend little on N.
fn entries(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(4096, 16);
    let case = |what, of: fn(Exp<f64>, Exp<i32>) -> Exp<f64>| {
        let all = move |v: Vector| generate(v.shape(), |ix![i]| of(v.at(ix![i]), i)).sum();
        bench.case(what, all, vector(n)?)
    };
    case(("one of 8 entries read, 64 trips", 5.0), read::<8>)?;
    case(("one of 64 entries read, 64 trips", 5.0), read::<64>)?;
    case(("one of 8 entries replaced, 64 trips", 5.0), replaced::<8>)?;
    case(
        ("one of 64 entries replaced, 64 trips", 5.0),
        replaced::<64>,
    )
}

fn sines<const N: usize>(x: Exp<f64>) -> [Exp<f64>; N] {
    std::array::from_fn(|n| (x * (0.1 + n as f64)).sin())
}

fn read<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let entries = sines::<N>(x);
    let step = move |k: Exp<i32>, y: Exp<f64>| {
        let at = (lane + k * 3) % N as i32;
        (y + entries.entry(at)).sin()
    };
    iterate(64, step, x)
}

fn replaced<const N: usize>(x: Exp<f64>, lane: Exp<i32>) -> Exp<f64> {
    let step = move |k: Exp<i32>, entries: [Exp<f64>; N]| {
        let (to, from) = ((lane + k) % N as i32, (lane + k * 3) % N as i32);
        entries.with_entry(to, entries.entry(from).sin())
    };
    let last = iterate(64, step, sines::<N>(x));
    last.into_iter().fold(constant(0.0), |sum, y| sum + y)
}

/// Steps of the heat equation; if `curved`, its conductivity depends on the temperature.
fn heat(m: Matrix, curved: bool) -> Number {
    let step = |_, m: Matrix| {
        let Snoc(Snoc(_, rows), columns) = m.shape();
        generate(m.shape(), |ix![i, j]| {
            let (up, down) = ((i - 1).max(0), (i + 1).min(rows - 1));
            let (left, right) = ((j - 1).max(0), (j + 1).min(columns - 1));
            let here = m.at(ix![i, j]);
            let around =
                m.at(ix![up, j]) + m.at(ix![down, j]) + m.at(ix![i, left]) + m.at(ix![i, right]);
            let flow = if curved {
                here.sin() * 0.1
            } else {
                constant(0.1)
            };
            here + flow * (around - 4.0 * here)
        })
    };
    aiterate(100, step, m).sum_all()
}
