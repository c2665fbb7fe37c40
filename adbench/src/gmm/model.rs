//! GMM written with cotangent: the objective by combinators, its gradient by `gradient_a`.

use super::input::GmmInput;
use super::reference::{GmmGradient, constant_term};
use crate::host::HostFloat;
use cotangent::prelude::*;
use cotangent::{Backend, Cpu, Error, Program, RunMeasures};

/// The scalars of the objective: its constant term, ½γ², m.
pub type Constants<T> = Acc<Ix0, (T, T, T)>;
/// The parameters: log weights \[k], means \[k, d], covariance factors \[k, d(d+1)/2].
pub type Parameters<T> = (Acc<Ix1, T>, Acc<Ix2, T>, Acc<Ix2, T>);
/// The host's side of [`Parameters`].
type HostParameters<T> = (Array<Ix1, T>, Array<Ix2, T>, Array<Ix2, T>);

/// ln Σ exp along the inner dimension, with the maximum taken out: a number that all derivatives are the same for.
pub fn log_sum_exp<Sh: Shape, T: Float>(a: Acc<Snoc<Sh>, T>) -> Acc<Sh, T> {
    let maximum = stop_gradient(a.maximum());
    let shifted = a.zip_with(maximum.replicate(Snoc(any(), a.inner())), |a, m| a - m);
    shifted
        .map(|a| a.exp())
        .sum()
        .zip_with(maximum, |sum, m| sum.ln() + m)
}

/// The lower triangular factors Q \[k, d, d]: e^q on the diagonal, l below it, column by column.
fn factors<T: Float>(icf: Acc<Ix2, T>, q_exp: Acc<Ix2, T>) -> Acc<Ix3, T> {
    let ix![k, d] = q_exp.shape();
    generate(ix![k, d, d], |ix![c, i, j]| {
        let position = j * (2 * d - j - 1) / 2 + i - j - 1;
        let below = cond(i.gt(j), icf.at(ix![c, d + position]), 0.0);
        cond(i.eq_(j), q_exp.at(ix![c, i]), below)
    })
}

/// The objective (see [`reference`](super::reference)) for points \[n, d].
pub fn objective<T: Float>(
    (alphas, means, icf): Parameters<T>,
    x: Acc<Ix2, T>,
    constants: Constants<T>,
) -> Acc<Ix0, T> {
    let (ix![n, d], ix![k]) = (x.shape(), alphas.shape());
    let q = icf.backpermute(ix![k, d], |index| index);
    let (q_exp, q_sum) = (q.map(|q| q.exp()), q.sum());
    // The shapes are given here once more, so that the compiler can prove them equal.
    let means = means.backpermute(ix![k, d], |index| index);
    let centred = x
        .replicate(ix![All, k, All])
        .zip_with(means.replicate(ix![n, All, All]), |x, mean| x - mean);
    let y = factors(icf, q_exp)
        .replicate(ix![n, All, All, All])
        .zip_with(centred.replicate(ix![All, All, d, All]), |q, x| q * x)
        .sum();
    let beta = alphas
        .zip_with(q_sum, |alpha, q| alpha + q)
        .replicate(ix![n, All])
        .zip_with(y.map(|y| y * y).sum(), |a, squares| a - 0.5 * squares);
    let likelihood = log_sum_exp(beta).sum();
    let weights = log_sum_exp(alphas);
    let fit = likelihood.zip_with(weights, |fit, w| fit - n.to::<T>() * w);
    fit.zip_with(log_prior(q, q_exp, icf, constants), |fit, prior| {
        fit + prior
    })
}

/// The constant term and Σ½γ²(‖e^q‖² + ‖l‖²) − m·Σq.
fn log_prior<T: Float>(
    q: Acc<Ix2, T>,
    q_exp: Acc<Ix2, T>,
    icf: Acc<Ix2, T>,
    constants: Constants<T>,
) -> Acc<Ix0, T> {
    let (ix![k, d], ix![_, size]) = (q.shape(), icf.shape());
    let l = icf.backpermute(ix![k, size - d], |ix![c, i]| ix![c, i + d]);
    let squares = |a: Acc<Ix2, T>| a.map(|a| a * a).sum_all();
    let squares = squares(q_exp).zip_with(squares(l), |e, l| e + l);
    let terms = squares.zip(q.sum_all());
    constants.zip_with(terms, |(constant, half_square, m), (squares, q)| {
        constant + half_square * squares - m * q
    })
}

/// What both programs take: the parameters, the points, the constants.
pub type Inputs<T> = (
    Acc<Ix1, T>,
    Acc<Ix2, T>,
    Acc<Ix2, T>,
    Acc<Ix2, T>,
    Constants<T>,
);
/// The host's side of [`Inputs`].
pub type HostInputs<T> = <Inputs<T> as Arrays>::Host;

/// The program of the objective.
///
/// # Errors
/// Where the compiler fails.
pub fn objective_program<T: Float>() -> Result<Program<Inputs<T>, Acc<Ix0, T>>, Error> {
    cotangent::compile(
        |alphas: Acc<Ix1, T>,
         means: Acc<Ix2, T>,
         icf: Acc<Ix2, T>,
         x: Acc<Ix2, T>,
         constants: Constants<T>| { objective((alphas, means, icf), x, constants) },
    )
}

/// The program of the gradient.
///
/// # Errors
/// Where the compiler fails.
pub fn gradient_program<T: Float>() -> Result<Program<Inputs<T>, Parameters<T>>, Error> {
    cotangent::compile(
        |alphas: Acc<Ix1, T>,
         means: Acc<Ix2, T>,
         icf: Acc<Ix2, T>,
         x: Acc<Ix2, T>,
         constants: Constants<T>| {
            gradient_a(
                |parameters| objective(parameters, x, constants),
                (alphas, means, icf),
            )
        },
    )
}

/// The shapes of the programs' inputs for n points of d dimensions and k components.
pub fn shapes(n: usize, d: usize, k: usize) -> [Vec<usize>; 5] {
    let factors = d * (d + 1) / 2;
    [vec![k], vec![k, d], vec![k, factors], vec![n, d], vec![]]
}

/// Objective and gradient, compiled for one backend.
pub struct Model<T: Float, B = Cpu> {
    backend: B,
    objective: Program<Inputs<T>, Acc<Ix0, T>>,
    gradient: Program<Inputs<T>, Parameters<T>>,
}

/// An input on its way into the programs.
pub struct Data<T: Float> {
    arrays: HostInputs<T>,
}

impl<T: Float> Data<T> {
    /// The arrays, as both programs take them.
    pub fn arrays(&self) -> &HostInputs<T> {
        &self.arrays
    }
}

/// Converts an input.
///
/// # Errors
/// Where an extent exceeds the index type, or there is no memory for the arrays.
pub fn data<T: HostFloat>(input: &GmmInput) -> Result<Data<T>, Error> {
    let matrix = |rows, columns, values| {
        let values = T::from_host(values)?;
        Ok::<_, Error>(Array::<Ix2, T>::from_vec([rows, columns], values)?)
    };
    let constants = [
        constant_term(input),
        0.5 * input.gamma * input.gamma,
        f64::from(input.m),
    ];
    let [constant, half_square, m] = constants.map(T::from_f64);
    let arrays = (
        Array::vector(T::from_host(&input.alphas)?)?,
        matrix(input.k, input.d, &input.means)?,
        matrix(input.k, input.icf_size(), &input.icf)?,
        matrix(input.n, input.d, &input.x)?,
        Array::scalar((constant, half_square, m)),
    );
    Ok(Data { arrays })
}

impl<T: HostFloat, B: Backend> Model<T, B> {
    /// Compiles both programs.
    ///
    /// # Errors
    /// Where the compiler fails.
    pub fn compile(backend: B) -> Result<Self, Error> {
        let (objective, gradient) = (objective_program()?, gradient_program()?);
        objective.prepare(&backend)?;
        gradient.prepare(&backend)?;
        Ok(Self {
            backend,
            objective,
            gradient,
        })
    }

    /// The program that computes the objective.
    pub fn objective_program(&self) -> &Program<Inputs<T>, Acc<Ix0, T>> {
        &self.objective
    }

    /// The program that computes the gradient.
    pub fn gradient_program(&self) -> &Program<Inputs<T>, Parameters<T>> {
        &self.gradient
    }

    /// Converts an input.
    ///
    /// # Errors
    /// Where an extent exceeds the index type, or there is no memory for the arrays.
    pub fn data(&self, input: &GmmInput) -> Result<Data<T>, Error> {
        data(input)
    }

    /// The objective.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn objective(&self, data: &Data<T>) -> Result<f64, Error> {
        let value = self.objective.run(&self.backend, data.arrays.clone())?;
        Ok(T::elements(value)?[0])
    }

    /// Computes the gradient and leaves it where it is.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn run_gradient(&self, data: &Data<T>) -> Result<(), Error> {
        self.gradient
            .run(&self.backend, data.arrays.clone())
            .map(drop)
    }

    /// The gradient.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn gradient(&self, data: &Data<T>) -> Result<GmmGradient, Error> {
        Ok(self.measured_gradient(data)?.0)
    }

    /// The gradient, and what computing it took.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn measured_gradient(&self, data: &Data<T>) -> Result<(GmmGradient, RunMeasures), Error> {
        let (gradient, measures) = self
            .gradient
            .run_measured(&self.backend, data.arrays.clone())?;
        let (alphas, means, icf): HostParameters<T> = gradient;
        let gradient = GmmGradient {
            alphas: T::elements(alphas)?,
            means: T::elements(means)?,
            icf: T::elements(icf)?,
        };
        Ok((gradient, measures))
    }
}
