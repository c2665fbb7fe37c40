//! GMM in plain Rust: objective and gradient in closed form.
//!
//! With xc = x − μₖ, y = Qₖ·xc (Qₖ lower triangular: e^q on the diagonal, l below):
//! βᵢₖ = αₖ + Σqₖ − ½‖y‖², and
//! F = −(nd/2)·ln 2π + Σᵢ lseₖ(βᵢₖ) − n·lse(α) + Σₖ [½γ²(‖e^q‖² + ‖l‖²) − m·Σq] − K·C.
//! C and π are those of ADBench's golden module, as is the sign of the prior.

use super::input::GmmInput;
use crate::host::norm;
use crate::input::{InputError, made, reserve};

/// π as ADBench's golden module has it.
#[expect(
    clippy::approx_constant,
    reason = "the golden results are computed with it"
)]
const ADBENCH_PI: f64 = 3.14159265359;

/// The gradient, laid out as the parameters are.
#[derive(Clone, Debug, PartialEq)]
pub struct GmmGradient {
    /// By log weight, \[k].
    pub alphas: Vec<f64>,
    /// By mean, \[k, d].
    pub means: Vec<f64>,
    /// By covariance factor, \[k, d(d+1)/2].
    pub icf: Vec<f64>,
}

impl GmmGradient {
    /// All elements in ADBench's order: alphas, means, factors.
    pub fn elements(&self) -> impl Iterator<Item = f64> + Clone {
        let parts = [&self.alphas, &self.means, &self.icf];
        parts.into_iter().flatten().copied()
    }

    /// The same as a vector.
    pub fn flatten(&self) -> Vec<f64> {
        self.elements().collect()
    }

    /// The Euclidean norm.
    pub fn norm(&self) -> f64 {
        norm(self.elements())
    }
}

/// The terms of the objective that do not depend on the parameters: −(nd/2)·ln 2π − K·C.
pub fn constant_term(input: &GmmInput) -> f64 {
    let (n, d, k) = (input.n as f64, input.d as f64, input.k as f64);
    let nu = d + f64::from(input.m) + 1.0;
    let c =
        nu * d * (input.gamma.ln() - 0.5 * 2f64.ln()) - log_gamma_distribution(0.5 * nu, input.d);
    -n * d * 0.5 * (2.0 * ADBENCH_PI).ln() - k * c
}

/// lnΓ_d(a), the multivariate log gamma function.
fn log_gamma_distribution(a: f64, d: usize) -> f64 {
    let pi_term = 0.25 * (d * (d - 1)) as f64 * ADBENCH_PI.ln();
    pi_term
        + (1..=d)
            .map(|j| ln_gamma(a + 0.5 * (1.0 - j as f64)))
            .sum::<f64>()
}

/// lnΓ(x) for x > 0: the recurrence up to x ≥ 10, then Stirling's series.
pub fn ln_gamma(x: f64) -> f64 {
    const SERIES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let (mut x, mut product) = (x, 1.0);
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    let series = SERIES
        .iter()
        .rev()
        .fold(0.0, |sum, &c| sum * inverse_square + c)
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product.ln()
}

/// The objective.
///
/// # Errors
/// Where there is no memory for what is computed.
pub fn objective(input: &GmmInput) -> Result<f64, InputError> {
    evaluate(input, None)
}

/// The objective and its gradient.
///
/// # Errors
/// Where there is no memory for it.
pub fn gradient(input: &GmmInput) -> Result<(f64, GmmGradient), InputError> {
    let zeros = |len| made(len, "the parts of the reference's gradient", |_| 0.0);
    let mut gradient = GmmGradient {
        alphas: zeros(input.k)?,
        means: zeros(input.means.len())?,
        icf: zeros(input.icf.len())?,
    };
    let value = evaluate(input, Some(&mut gradient))?;
    Ok((value, gradient))
}

/// One component as the loops below need it.
struct Component<'a> {
    index: usize,
    alpha: f64,
    mean: &'a [f64],
    q_sum: f64,
    q_exp: Vec<f64>,
    l: &'a [f64],
}

fn components(input: &GmmInput) -> Result<Vec<Component<'_>>, InputError> {
    let what = "the components of the reference";
    let mut components = reserve(input.k, what)?;
    for index in 0..input.k {
        let factor = &input.icf[index * input.icf_size()..][..input.icf_size()];
        let (q, l) = factor.split_at(input.d);
        components.push(Component {
            index,
            alpha: input.alphas[index],
            mean: &input.means[index * input.d..][..input.d],
            q_sum: q.iter().sum(),
            q_exp: made(q.len(), what, |i| q[i].exp())?,
            l,
        });
    }
    Ok(components)
}
fn evaluate(input: &GmmInput, mut gradient: Option<&mut GmmGradient>) -> Result<f64, InputError> {
    let components = components(input)?;
    let row = || made(input.d, "the coordinates of a point", |_| 0.0);
    let (mut xc, mut y) = (row()?, row()?);
    let mut betas = reserve(input.k, "the components of the reference")?;
    let mut total = constant_term(input) - input.n as f64 * log_sum_exp(&input.alphas);
    for x in input.x.chunks_exact(input.d) {
        betas.clear();
        for c in &components {
            transform(c, x, &mut xc, &mut y);
            betas.push(c.alpha + c.q_sum - 0.5 * y.iter().map(|y| y * y).sum::<f64>());
        }
        let lse = log_sum_exp(&betas);
        total += lse;
        if let Some(gradient) = gradient.as_deref_mut() {
            for (c, beta) in components.iter().zip(&betas) {
                transform(c, x, &mut xc, &mut y);
                add_point(gradient, c, (beta - lse).exp(), &xc, &y);
            }
        }
    }
    if let Some(gradient) = gradient {
        add_weights(gradient, input);
        components
            .iter()
            .for_each(|c| add_prior(gradient, input, c));
    }
    Ok(total + components.iter().map(|c| prior(input, c)).sum::<f64>())
}

/// xc = x − μ and y = Q·xc.
fn transform(c: &Component<'_>, x: &[f64], xc: &mut [f64], y: &mut [f64]) {
    for j in 0..x.len() {
        xc[j] = x[j] - c.mean[j];
        y[j] = c.q_exp[j] * xc[j];
    }
    let mut l = c.l;
    for i in 0..x.len() {
        let (column, rest) = l.split_at(x.len() - i - 1);
        y[i + 1..]
            .iter_mut()
            .zip(column)
            .for_each(|(y, l)| *y += l * xc[i]);
        l = rest;
    }
}

/// Adds what one point of responsibility `r` contributes to one component's gradient.
fn add_point(gradient: &mut GmmGradient, c: &Component<'_>, r: f64, xc: &[f64], y: &[f64]) {
    let d = xc.len();
    gradient.alphas[c.index] += r;
    let factor = &mut gradient.icf[c.index * d * (d + 1) / 2..][..d * (d + 1) / 2];
    let mean = &mut gradient.means[c.index * d..][..d];
    let (q, mut l_adj) = factor.split_at_mut(d);
    let mut l = c.l;
    for i in 0..d {
        q[i] += r * (1.0 - c.q_exp[i] * xc[i] * y[i]);
        let (column, rest) = l.split_at(d - i - 1);
        let (column_adj, rest_adj) = l_adj.split_at_mut(d - i - 1);
        let mut transposed = c.q_exp[i] * y[i];
        for j in 0..column.len() {
            column_adj[j] -= r * xc[i] * y[i + 1 + j];
            transposed += column[j] * y[i + 1 + j];
        }
        mean[i] += r * transposed;
        (l, l_adj) = (rest, rest_adj);
    }
}

/// −n·softmax(α).
fn add_weights(gradient: &mut GmmGradient, input: &GmmInput) {
    let lse = log_sum_exp(&input.alphas);
    for (alpha_adj, alpha) in gradient.alphas.iter_mut().zip(&input.alphas) {
        *alpha_adj -= input.n as f64 * (alpha - lse).exp();
    }
}

fn prior(input: &GmmInput, c: &Component<'_>) -> f64 {
    let squares: f64 = c.q_exp.iter().chain(c.l).map(|x| x * x).sum();
    0.5 * input.gamma * input.gamma * squares - f64::from(input.m) * c.q_sum
}

fn add_prior(gradient: &mut GmmGradient, input: &GmmInput, c: &Component<'_>) {
    let square = input.gamma * input.gamma;
    let factor = &mut gradient.icf[c.index * input.icf_size()..][..input.icf_size()];
    let (q, l) = factor.split_at_mut(input.d);
    for (q_adj, q_exp) in q.iter_mut().zip(&c.q_exp) {
        *q_adj += square * q_exp * q_exp - f64::from(input.m);
    }
    l.iter_mut()
        .zip(c.l)
        .for_each(|(l_adj, l)| *l_adj += square * l);
}

fn log_sum_exp(values: &[f64]) -> f64 {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + values.iter().map(|v| (v - max).exp()).sum::<f64>().ln()
}
