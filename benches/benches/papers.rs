//! What derivatives cost in the programs that other systems are measured with: those of papers 000, 001 and 002, and what the
//! modes of differentiation cost beside gradients.

use cotangent::prelude::*;
use cotangent_benches::Failure;
use cotangent_benches::ratios::{Ratios, matrix, numbers, vector};
use cotangent_tests::papers::{reversible, zygote};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;
type Pairs = Acc<Ix1, (i32, i32)>;

fn main() -> Result<(), Failure> {
    let bench = Ratios::parse()?;
    scalars(&bench)?;
    learning(&bench)?;
    sparse(&bench)?;
    matrices(&bench)?;
    embedding(&bench)?;
    modes(&bench)?;
    rules(&bench)
}

fn scalars(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(1_000_000, 1000);
    bench.case(("sin(cos x)", 5.0), zygote::sin_cos, vector(n)?)?;
    let powers = zygote::powers(10);
    bench.case(("a loop of 10 products", 5.0), powers, vector(n)?)?;
    bench.case(("log-sum-exp", 5.0), zygote::log_sum_exp, vector(n)?)?;
    let series = |x: Vector| reversible::exp_by_series(x).sum();
    bench.case(("exp by its series", 5.0), series, vector(n / 10)?)
}

fn learning(bench: &Ratios) -> Result<(), Failure> {
    let (n, d) = (bench.size(10_000, 20), bench.size(100, 5));
    let regression = |((w, b), samples, labels): ((Vector, Number), Matrix, Vector)| {
        zygote::logistic_regression((w, b), (samples, labels))
    };
    let labels = (0..n).map(|i| (i % 2) as f64).collect();
    let weights = (vector(d)?, Array::scalar(0.5));
    let input = (weights, matrix(n, d)?, Array::vector(labels)?);
    let name = format!("logistic regression, {n} × {d}");
    bench.case((&name, 5.0), regression, input)?;
    let (pixels, hidden) = (bench.size(784, 9), bench.size(32, 4));
    type Layer = (Matrix, Vector);
    let network = |(first, second, image): (Layer, Layer, Vector)| {
        zygote::perceptron([first, second], (image, unit(3)))
    };
    let layer = |rows, columns| Ok::<_, Failure>((matrix(rows, columns)?, vector(rows)?));
    let input = (layer(hidden, pixels)?, layer(10, hidden)?, vector(pixels)?);
    let name = format!("perceptron, {pixels} → {hidden} → 10");
    bench.case((&name, 5.0), network, input)
}

fn sparse(bench: &Ratios) -> Result<(), Failure> {
    let (n, per_row) = (bench.size(100_000, 50), 9);
    let rows = (0..=n).map(|i| (i * per_row) as i32).collect();
    let columns = (0..n * per_row).map(|k| ((k / per_row * 31 + k % per_row * 1013) % n) as i32);
    let product = |(pattern, elements, x): (reversible::Pattern, Vector, Vector)| {
        reversible::sparse_product(pattern, elements, x).sum()
    };
    let pattern = (Array::vector(rows)?, Array::vector(columns.collect())?);
    let input = (pattern, vector(n * per_row)?, vector(n)?);
    let name = format!("sparse product, {per_row} elements a row");
    bench.case((&name, 5.0), product, input)
}

fn matrices(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(100, 6);
    let name = format!("QR by reflections, {n} × {n}");
    // The diagonal is heavy, so that the matrix has an inverse.
    let f = |a: Matrix| {
        let heavy = |i: Exp<i32>, j: Exp<i32>| cond::<f64>(i.eq_(j), 10.0, 0.0);
        let a = generate(a.shape(), |ix![i, j]| a.at(ix![i, j]) + heavy(i, j));
        reversible::log_determinant(a)
    };
    bench.case((&name, 5.0), f, matrix(n, n)?)?;
    let (n, trips) = (bench.size(10_000, 10), bench.size(100, 5));
    let pairs = |len: usize| numbers(len).into_iter().map(|x| (x, 1.0 - x));
    let input = (
        Array::vector(pairs(n).collect())?,
        Array::from_vec([trips, n], pairs(trips * n).collect())?,
    );
    let layers = |(x, angles)| reversible::unitary(x, angles).map(|(a, b)| a + b).sum();
    let name = format!("unitary layers, {trips} of {n}");
    bench.case((&name, 5.0), layers, input)
}

fn embedding(bench: &Ratios) -> Result<(), Failure> {
    let of = |[edges, others]: [Pairs; 2]| move |x| reversible::embedding(x, [edges, others]);
    let value = move |(x, edges, others): (Matrix, Pairs, Pairs)| of([edges, others])(x);
    for dimensions in [2, 10] {
        let [edges, others] = reversible::petersen().map(Array::vector);
        let input = (matrix(10, dimensions)?, edges?, others?);
        let gradient = move |(x, edges, others): (Matrix, Pairs, Pairs)| {
            value_and_gradient_a(of([edges, others]), x)
        };
        let name = format!("graph embedding in {dimensions} dimensions, gradient");
        bench.pair((&name, 5.0), (value, gradient), input.clone())?;
        let second =
            move |(x, edges, others): (Matrix, Pairs, Pairs)| hessian(of([edges, others]), x);
        // As many gradients as there are coordinates.
        let limit = 5.0 * 10.0 * dimensions as f64;
        let name = format!("graph embedding in {dimensions} dimensions, Hessian");
        bench.pair((&name, limit), (value, second), input)?;
    }
    Ok(())
}

/// A step that needs neighbours, so that a loop of it is no map.
fn mixed(x: Vector) -> Vector {
    x.zip_with(x.roll(ix![1]), |x, y| (x + 0.5 * y).sin())
}

fn modes(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(10_000, 100);
    let value = |x: Vector| aiterate(100, |_, x| mixed(x), x);
    let forward = move |x: Vector| jvp_a(value, x, x);
    bench.pair(
        ("forward mode, 100 trips", 3.0),
        (value, forward),
        vector(n)?,
    )?;
    let stored = move |x: Vector| value_and_gradient_a(|x| value(x).sum(), x);
    bench.pair(
        ("all states stored, 100 trips", 5.0),
        (value, stored),
        vector(n)?,
    )?;
    for slots in [20, 8] {
        let f = move |x: Vector| {
            Checkpoints::Slots(slots)
                .aiterate(100, |_, x| mixed(x), x)
                .sum()
        };
        let gradient = move |x: Vector| value_and_gradient_a(f, x);
        let name = format!("{slots} states stored, 100 trips");
        bench.pair((&name, 7.0), (value, gradient), vector(n)?)?;
    }
    let n = bench.size(300, 10);
    let value = |x: Vector| mixed(mixed(x));
    let jacobian = move |x: Vector| jacobian_forward(value, x);
    let name = format!("Jacobian of {n} by {n} numbers");
    bench.pair((&name, 3.0 * n as f64), (value, jacobian), vector(n)?)?;
    sparse_jacobians(bench)?;
    let second = |x: Vector| hvp_a(|x| mixed(x).map(|x| x * x).sum(), x, x);
    let n = bench.size(1_000_000, 100);
    let value = |x: Vector| mixed(x).map(|x| x * x).sum();
    bench.pair(
        ("Hessian times a vector", 10.0),
        (value, second),
        vector(n)?,
    )
}

/// A step of which each result depends on three neighbours, and its Jacobian, of three passes at once.
fn sparse_jacobians(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(100_000, 100);
    let step = |x: Vector| {
        let last = x.size() - 1;
        generate(x.shape(), |ix![i]| {
            let (left, right) = (x.at(ix![(i - 1).max(0)]), x.at(ix![(i + 1).min(last)]));
            (left * x.at(ix![i]) + right).sin()
        })
    };
    let found = SparsityPattern::detect(step, vector(n)?)?;
    for (colored, limit) in [(Colored::Columns, 12.0), (Colored::Rows, 20.0)] {
        let pattern = found.colored_by(colored)?;
        let jacobian = |x: Vector| jacobian_sparse(step, x, &pattern);
        let name = format!("tridiagonal Jacobian of {n}, {colored:?} colored");
        bench.pair((&name, limit), (step, jacobian), vector(n)?)?;
    }
    Ok(())
}

fn rules(bench: &Ratios) -> Result<(), Failure> {
    let n = bench.size(1_000_000, 100);
    let rule = |x: Vector, _: Vector, dx: Vector| x.zip_with(dx, |x, dx| x.exp() * dx);
    let by_rule = move |x: Vector| custom_jvp(|x: Vector| x.map(|x| x.exp()), rule, x).sum();
    bench.case(
        ("a rule for forward mode, transposed", 5.0),
        by_rule,
        vector(n)?,
    )?;
    let root = |c: Exp<f64>| {
        let far = |x: Exp<f64>| (x * x - c).abs().gt(1e-12);
        iterate_while(50, far, |_, x: Exp<f64>| (x + c / x) / 2.0, 1.0)
    };
    // The derivative of a fixed point does not go through the iteration.
    let implicit = move |c: Vector| {
        let rule = |_: Vector, x: Vector, dc: Vector| x.zip_with(dc, |x, dc| dc / (2.0 * x));
        custom_jvp(|c: Vector| c.map(root), rule, c).sum()
    };
    let name = "a fixed point, by its equation";
    bench.case((name, 3.0), implicit, vector(n / 10)?)
}
