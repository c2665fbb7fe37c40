//! The network written with cotangent: a loop over the characters, its gradient by `gradient_a`.
//!
//! Weights are diagonal, so that a cell of a layer reads nothing of its neighbours: an element of the state is a cell of every
//! layer, and each character is one kernel over them.

use super::input::LstmInput;
use crate::host::HostFloat;
use cotangent::prelude::*;
use cotangent::{Backend, Cpu, Error, Program};
use std::array::from_fn;

/// The parameters: those of the layers \[2l, 4b], the others \[3, b].
pub type Parameters<T> = (Acc<Ix2, T>, Acc<Ix2, T>);
/// What both programs take: the parameters, the first state \[2l, b], the characters \[c, b].
pub type Inputs<T> = (Acc<Ix2, T>, Acc<Ix2, T>, Acc<Ix2, T>, Acc<Ix2, T>);

/// What a layer puts out, and its cell.
type Cell<T> = (T, T);

fn sigmoid<T: Float>(x: Exp<T>) -> Exp<T> {
    1.0 / (1.0 + (-x).exp())
}

/// A layer's next cell; weights and biases are those of the forget, the in, the out and the change gate.
fn layer<T: Float>(
    (weights, biases): ([Exp<T>; 4], [Exp<T>; 4]),
    (hidden, cell): (Exp<T>, Exp<T>),
    input: Exp<T>,
) -> (Exp<T>, Exp<T>) {
    let gate = |g: usize, x: Exp<T>| weights[g] * x + biases[g];
    let (forget, out) = (sigmoid(gate(0, input)), sigmoid(gate(2, input)));
    let (in_, change) = (sigmoid(gate(1, hidden)), gate(3, hidden).tanh());
    let cell = cell * forget + in_ * change;
    (out * cell.tanh(), cell)
}

/// The loss (see [`reference`](super::reference)) of a network with `L` layers.
pub fn objective<T: Float, const L: usize>(
    (main, extra): Parameters<T>,
    state: Acc<Ix2, T>,
    sequence: Acc<Ix2, T>,
) -> Acc<Ix0, T> {
    let ix![c, b] = sequence.shape();
    // The shape is given here once more, so that the compiler can prove it equal.
    let extra = extra.backpermute(ix![3, b], |at| at);
    // The parameters of each cell, and the cells.
    let of_gates = |row: usize, j: Exp<i32>| {
        from_fn::<_, 4, _>(|g| main.at(ix![row as i32, b * g as i32 + j]))
    };
    let weights = generate(ix![b], |ix![j]| from_fn::<_, L, _>(|i| of_gates(2 * i, j)));
    let biases = generate(ix![b], |ix![j]| {
        from_fn::<_, L, _>(|i| of_gates(2 * i + 1, j))
    });
    let first: Acc<Ix1, [Cell<T>; L]> = generate(ix![b], |ix![j]| {
        from_fn::<_, L, _>(|i| {
            let row = 2 * i as i32;
            (state.at(ix![row, j]), state.at(ix![row + 1, j]))
        })
    });
    let scaled = |row: i32, x: Acc<Ix1, T>| x.zip_with(extra.slice(ix![row, All]), |x, w| x * w);
    let step = |_, cells: Acc<Ix1, [Cell<T>; L]>, x: Acc<Ix1, T>| {
        let of_cells = cells.zip(weights).zip(biases);
        let next: Acc<Ix1, [Cell<T>; L]> =
            scaled(0, x).zip_with(of_cells, |x, ((cells, weights), biases)| {
                let mut below = x;
                from_fn::<_, L, _>(|i| {
                    let next = layer((weights[i], biases[i]), cells[i], below);
                    below = next.0;
                    next
                })
            });
        (next, next.map(|cells| cells[L - 1].0))
    };
    let inputs = sequence.backpermute(ix![c - 1, b], |at| at);
    let (_, tops) = ascan(inputs, step, first);
    let over_time = |row: i32| extra.slice(ix![row, All]).replicate(ix![c - 1, All]);
    let scaled = tops.zip_with(over_time(1), |top, w| top * w);
    let predictions = scaled.zip_with(over_time(2), |y, bias| y + bias);
    loss(predictions, sequence)
}

/// The loss of predictions \[c - 1, b].
fn loss<T: Float>(predictions: Acc<Ix2, T>, sequence: Acc<Ix2, T>) -> Acc<Ix0, T> {
    let ix![c, b] = sequence.shape();
    let gold = sequence.backpermute(ix![c - 1, b], |ix![t, j]| ix![t + 1, j]);
    let sums = predictions
        .map(|y| y.exp())
        .sum()
        .map(|sum| (sum + 2.0).ln());
    let normed = predictions.zip_with(sums.replicate(ix![All, b]), |y, log_sum| y - log_sum);
    let fit = gold.zip_with(normed, |gold, y| gold * y).sum_all();
    fit.map(|fit| -fit / (b * (c - 1)).to::<T>())
}

/// Makes a program for a number of layers: from 1 to [`MAX_LAYERS`](super::input::MAX_LAYERS), others are taken for the
/// nearest.
macro_rules! for_layers {
    ($layers:expr, $f:ident) => {
        match $layers {
            ..=1 => $f::<T, 1>(),
            2 => $f::<T, 2>(),
            3 => $f::<T, 3>(),
            4 => $f::<T, 4>(),
            5 => $f::<T, 5>(),
            6 => $f::<T, 6>(),
            7 => $f::<T, 7>(),
            8.. => $f::<T, 8>(),
        }
    };
}

/// The program of the loss of a network with so many layers.
///
/// # Errors
/// Where the compiler fails.
pub fn objective_program<T: Float>(
    layers: usize,
) -> Result<Program<Inputs<T>, Acc<Ix0, T>>, Error> {
    for_layers!(layers, objective_of)
}

fn objective_of<T: Float, const L: usize>() -> Result<Program<Inputs<T>, Acc<Ix0, T>>, Error> {
    cotangent::compile(
        |main: Acc<Ix2, T>, extra: Acc<Ix2, T>, state: Acc<Ix2, T>, sequence: Acc<Ix2, T>| {
            objective::<T, L>((main, extra), state, sequence)
        },
    )
}

/// The program of the gradient of a network with so many layers.
///
/// # Errors
/// Where the compiler fails.
pub fn gradient_program<T: Float>(
    layers: usize,
) -> Result<Program<Inputs<T>, Parameters<T>>, Error> {
    for_layers!(layers, gradient_of)
}

fn gradient_of<T: Float, const L: usize>() -> Result<Program<Inputs<T>, Parameters<T>>, Error> {
    cotangent::compile(
        |main: Acc<Ix2, T>, extra: Acc<Ix2, T>, state: Acc<Ix2, T>, sequence: Acc<Ix2, T>| {
            let objective = |parameters| objective::<T, L>(parameters, state, sequence);
            gradient_a(objective, (main, extra))
        },
    )
}

/// Loss and gradient, compiled for one backend and a number of layers.
pub struct Model<T: Float, B = Cpu> {
    backend: B,
    objective: Program<Inputs<T>, Acc<Ix0, T>>,
    gradient: Program<Inputs<T>, Parameters<T>>,
}

/// Converts an input.
///
/// # Errors
/// Where an extent exceeds the index type, or there is no memory for the arrays.
pub fn data<T: HostFloat>(input: &LstmInput) -> Result<<Inputs<T> as Arrays>::Host, Error> {
    let matrix = |rows, columns, values| {
        let values = T::from_host(values)?;
        Ok::<_, Error>(Array::<Ix2, T>::from_vec([rows, columns], values)?)
    };
    let &LstmInput { l, c, b, .. } = input;
    Ok((
        matrix(2 * l, 4 * b, &input.main)?,
        matrix(3, b, &input.extra)?,
        matrix(2 * l, b, &input.state)?,
        matrix(c, b, &input.sequence)?,
    ))
}

impl<T: HostFloat, B: Backend> Model<T, B> {
    /// Compiles both programs.
    ///
    /// # Errors
    /// Where the compiler fails.
    pub fn compile(layers: usize, backend: B) -> Result<Self, Error> {
        let (objective, gradient) = (objective_program(layers)?, gradient_program(layers)?);
        objective.prepare(&backend)?;
        gradient.prepare(&backend)?;
        Ok(Self {
            backend,
            objective,
            gradient,
        })
    }

    /// The loss.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn objective(&self, input: &LstmInput) -> Result<f64, Error> {
        let value = self.objective.run(&self.backend, data(input)?)?;
        Ok(T::elements(value)?[0])
    }

    /// The gradient, by the layers' parameters, then by the others.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn gradient(&self, input: &LstmInput) -> Result<Vec<f64>, Error> {
        let (main, extra) = self.gradient.run(&self.backend, data(input)?)?;
        Ok([T::elements(main)?, T::elements(extra)?].concat())
    }
}
