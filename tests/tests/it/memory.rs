//! The memory of the gradient of GMM: what is foretold keeps to a bound, and is what a run takes.

use cotangent::explain::Figure;
use cotangent::{Cpu, Explanation, Program};
use cotangent_adbench::gmm::GmmInput;
use cotangent_adbench::gmm::model::{Inputs, Model, Parameters, gradient_program, shapes};

/// Bytes of a number.
const NUMBER: u64 = 8;
/// What each thread may take.
const PER_THREAD: u64 = 4_000_000;

type Gradient = Program<Inputs<f64>, Parameters<f64>>;

/// What is foretold for n points of d dimensions and k components.
fn foretold(program: &Gradient, [n, d, k]: [usize; 3]) -> Explanation {
    let shapes = shapes(n, d, k);
    let shapes: Vec<_> = shapes.iter().map(Vec::as_slice).collect();
    program.explain_for(&shapes).unwrap()
}

fn number(figure: &Figure) -> u64 {
    figure.number().unwrap()
}

/// Inputs, results, twice as many numbers as there are pairs of a point and a component, and something for each thread.
fn bound(inputs: u64, [n, d, k]: [usize; 3], threads: u64) -> u64 {
    let results = (k * (1 + d + d * (d + 1) / 2)) as u64;
    inputs + NUMBER * (results + 2 * (n * k) as u64) + threads * PER_THREAD
}

/// The bound is too low where a thread's sums, k square matrices twice, and a chunk of the fewest points are more than it
/// leaves for a thread, and the points are too few to make up for it.
fn is_exception(sizes: [usize; 3], threads: u64) -> bool {
    match sizes {
        [1000, 64, 50] => true,
        [10_000, 64, 50] => threads == 16,
        _ => false,
    }
}

#[test]
fn the_peak_of_gmm_is_bounded() {
    let program = gradient_program::<f64>().unwrap();
    for (d, k) in [(32, 25), (32, 50), (64, 25), (64, 50)] {
        for n in [1000, 10_000, 100_000, 1_000_000, 2_500_000] {
            let sizes = [n, d, k];
            let explanation = foretold(&program, sizes);
            let inputs = number(&explanation.inputs_bytes);
            for threads in [1, 2, 16] {
                let others = (threads - 1) * number(&explanation.bytes_per_thread);
                let peak = number(&explanation.peak_bytes) + others;
                let bound = bound(inputs, sizes, threads);
                let text = format!("{sizes:?} on {threads} threads: {peak} of {bound}");
                assert_eq!(peak > bound, is_exception(sizes, threads), "{text}");
                // With room for the square matrices there is no exception.
                let matrices = NUMBER * (2 + 2 * threads) * (k * d * d) as u64;
                assert!(peak <= bound + matrices, "{text} and {matrices}");
            }
        }
    }
}

/// No array of the gradient that lasts has an element for each pair of a point and a component: besides inputs and
/// results it takes the same for any number of points.
#[test]
fn the_peak_of_gmm_does_not_grow_with_the_points() {
    let program = gradient_program::<f64>().unwrap();
    let besides = [100_000, 2_500_000].map(|n| {
        let explanation = foretold(&program, [n, 32, 25]);
        number(&explanation.peak_bytes) - number(&explanation.inputs_bytes)
    });
    assert_eq!(besides[0], besides[1]);
}

#[test]
fn a_run_of_gmm_takes_what_is_foretold() {
    let cpu = Cpu::builder().threads(1).build().unwrap();
    let model = Model::<f64>::compile(cpu).unwrap();
    let cases = [
        [1000, 32, 25],
        [1000, 4, 3],
        [3000, 8, 5],
        [3000, 32, 25],
        [10_000, 4, 3],
        [10_000, 32, 25],
    ];
    for sizes in cases {
        let [n, d, k] = sizes;
        let data = model.data(&GmmInput::generate(n, d, k, 1).unwrap());
        let (_, measures) = model.measured_gradient(&data.unwrap()).unwrap();
        let explanation = foretold(model.gradient_program(), sizes);
        let foretold = number(&explanation.peak_bytes) - number(&explanation.inputs_bytes);
        // Whether a chunk adds to the sums of those before in place is known to the backend alone.
        let sums = (k * d * d * size_of::<f64>()) as u64;
        let found = measures.peak_bytes;
        assert!(
            found <= foretold && foretold <= found + sums,
            "{sizes:?}: {found}, foretold {foretold}"
        );
    }
}
