//! The network in plain Rust: its loss, and the gradient by going back through time by hand.
//!
//! In layer i, with input x, what the layer put out before h, and cells c (all of b numbers, and all products elementwise):
//! f = σ(w₁x + a₁), g = σ(w₂h + a₂), o = σ(w₃x + a₃), d = tanh(w₄h + a₄), c′ = c·f + g·d, h′ = o·tanh c′. The first
//! layer's input is the character times the weights of the input; the prediction is y = w·h′ + a of the last layer. The loss
//! is −Σ gold·(y − ln(2 + Σ eʸ)) / (b·(c − 1)), over all characters but the first.

use super::input::LstmInput;

/// The loss and its gradient: by the layers' parameters, then by the others, as they are laid out.
pub fn gradient(input: &LstmInput) -> (f64, Vec<f64>) {
    let mut trips = Vec::with_capacity(input.c - 1);
    let mut state = input.state.clone();
    let mut loss = 0.0;
    for t in 0..input.c - 1 {
        let trip = Trip::forward(input, state, t);
        state = trip.after.clone();
        loss += trip.loss;
        trips.push(trip);
    }
    let mut back = Back {
        input,
        main: vec![0.0; input.main.len()],
        extra: vec![0.0; input.extra.len()],
        state: vec![0.0; input.state.len()],
    };
    for (t, trip) in trips.iter().enumerate().rev() {
        back.trip(trip, t);
    }
    (loss, [back.main, back.extra].concat())
}

/// The loss.
pub fn objective(input: &LstmInput) -> f64 {
    let mut state = input.state.clone();
    let mut loss = 0.0;
    for t in 0..input.c - 1 {
        let trip = Trip::forward(input, state, t);
        (state, loss) = (trip.after, loss + trip.loss);
    }
    loss
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The gates of one cell, and what they get.
#[derive(Clone, Copy, Default)]
struct Cell {
    input: f64,
    gates: [f64; 4],
    tanh: f64,
}

/// What one character does.
struct Trip {
    before: Vec<f64>,
    after: Vec<f64>,
    /// The cells, \[l, b].
    cells: Vec<Cell>,
    prediction: Vec<f64>,
    log_sum: f64,
    loss: f64,
}

impl Trip {
    fn forward(input: &LstmInput, before: Vec<f64>, t: usize) -> Self {
        let (l, b) = (input.l, input.b);
        let mut after = vec![0.0; before.len()];
        let mut cells = vec![Cell::default(); l * b];
        let mut prediction = vec![0.0; b];
        for j in 0..b {
            let mut below = input.sequence[t * b + j] * input.extra[j];
            for i in 0..l {
                let gate = |g: usize, x: f64| {
                    let at = 2 * i * 4 * b + g * b + j;
                    input.main[at] * x + input.main[at + 4 * b]
                };
                let (hidden, old) = (before[2 * i * b + j], before[(2 * i + 1) * b + j]);
                let gates = [
                    sigmoid(gate(0, below)),
                    sigmoid(gate(1, hidden)),
                    sigmoid(gate(2, below)),
                    gate(3, hidden).tanh(),
                ];
                let new = old * gates[0] + gates[1] * gates[3];
                let tanh = new.tanh();
                cells[i * b + j] = Cell {
                    input: below,
                    gates,
                    tanh,
                };
                below = gates[2] * tanh;
                (after[2 * i * b + j], after[(2 * i + 1) * b + j]) = (below, new);
            }
            prediction[j] = below * input.extra[b + j] + input.extra[2 * b + j];
        }
        let log_sum = (2.0 + prediction.iter().map(|y| y.exp()).sum::<f64>()).ln();
        let gold = &input.sequence[(t + 1) * b..(t + 2) * b];
        let fit: f64 = gold
            .iter()
            .zip(&prediction)
            .map(|(g, y)| g * (y - log_sum))
            .sum();
        Self {
            before,
            after,
            cells,
            prediction,
            log_sum,
            loss: -fit / count(input),
        }
    }
}

/// The number of predicted bits.
fn count(input: &LstmInput) -> f64 {
    (input.b * (input.c - 1)) as f64
}

/// Adjoints of the parameters, and of the state.
struct Back<'a> {
    input: &'a LstmInput,
    main: Vec<f64>,
    extra: Vec<f64>,
    state: Vec<f64>,
}

impl Back<'_> {
    fn trip(&mut self, trip: &Trip, t: usize) {
        let b = self.input.b;
        let gold = &self.input.sequence[(t + 1) * b..(t + 2) * b];
        let all: f64 = gold.iter().sum();
        for (j, gold) in gold.iter().enumerate() {
            let softmax = (trip.prediction[j] - trip.log_sum).exp();
            let by_prediction = (all * softmax - gold) / count(self.input);
            let top = 2 * (self.input.l - 1) * b + j;
            self.extra[b + j] += by_prediction * trip.after[top];
            self.extra[2 * b + j] += by_prediction;
            self.state[top] += by_prediction * self.input.extra[b + j];
            let by_input = self.cells(trip, j);
            self.extra[j] += by_input * self.input.sequence[t * b + j];
        }
    }

    /// Goes through the cells of all layers, the last one first; gives the adjoint of the first one's input.
    fn cells(&mut self, trip: &Trip, j: usize) -> f64 {
        let b = self.input.b;
        let mut from_above = 0.0;
        for i in (0..self.input.l).rev() {
            let Cell { input, gates, tanh } = trip.cells[i * b + j];
            let (hidden, cell) = (2 * i * b + j, (2 * i + 1) * b + j);
            let by_hidden = self.state[hidden] + from_above;
            let by_cell = self.state[cell] + by_hidden * gates[2] * (1.0 - tanh * tanh);
            let of_sigmoid = |g: usize| gates[g] * (1.0 - gates[g]);
            let by_gates = [
                by_cell * trip.before[cell] * of_sigmoid(0),
                by_cell * gates[3] * of_sigmoid(1),
                by_hidden * tanh * of_sigmoid(2),
                by_cell * gates[1] * (1.0 - gates[3] * gates[3]),
            ];
            let read = [input, trip.before[hidden], input, trip.before[hidden]];
            let mut by_read = [0.0; 4];
            for g in 0..4 {
                let at = 2 * i * 4 * b + g * b + j;
                self.main[at] += by_gates[g] * read[g];
                self.main[at + 4 * b] += by_gates[g];
                by_read[g] = by_gates[g] * self.input.main[at];
            }
            self.state[cell] = by_cell * gates[0];
            self.state[hidden] = by_read[1] + by_read[3];
            from_above = by_read[0] + by_read[2];
        }
        from_above
    }
}
