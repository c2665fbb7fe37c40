//! Products of matrices: how near they come to what the device can multiply and add in registers.

use super::Bench;
use super::report::{Name, line};
use super::sides::{Times, beyond};
use super::values::Real;
use crate::Failure;
use crate::matrices::{numbers, product};
use cotangent::prelude::*;
use cotangent::{Error, Program, compile};
use std::cell::OnceCell;

const SECTION: &str = "products";

/// The share of the device's multiply-adds that products have to reach on a GPU.
const GOAL: f64 = 0.4;

/// Chains of multiply-adds at each point, which do not depend on each other.
const CHAINS: usize = 8;
/// The multiply-adds of a chain.
const STEPS: usize = 128;
/// Points on which chains take next to no time but that of being submitted.
const FEW: usize = 64;
/// Rows of matrices whose product does.
const SMALL: usize = 4;

/// Measures all products in type `T`.
pub fn measure<T: Real>(bench: &Bench) {
    bench.begin(format!(
        "\n{SECTION} in {}; share: of what {CHAINS} chains of multiply-adds in registers reach\n{:<22} {:>8} {:>6} {:>5}  {}",
        T::NAME,
        "case",
        "GFLOP/s",
        "share",
        "goal",
        Times::heading()
    ));
    let table = Table::<T> {
        bench,
        rate: OnceCell::new(),
        types: std::marker::PhantomData,
    };
    table.multiply_adds();
    bench.sizes.matrices.iter().for_each(|&n| table.product(n));
}

struct Table<'a, T> {
    bench: &'a Bench,
    /// Operations a second in registers, once that is measured.
    rate: OnceCell<f64>,
    types: std::marker::PhantomData<T>,
}

impl<T: Real> Table<'_, T> {
    /// The rate that products are compared with, against the CPU.
    fn multiply_adds(&self) {
        let name = Name::new(SECTION, "multiply-adds", T::NAME);
        let measured = self.bench.case(&name, || {
            let (all, few) = (points::<T>(self.bench.sizes.points)?, points::<T>(FEW)?);
            self.bench.compare(&chains::<T>()?, &all, Some(&few))
        });
        if let Some(times) = measured {
            let rate = self.bench.operations() / times.beyond;
            self.print(&name, rate, *self.rate.get_or_init(|| rate), None, &times);
            self.bench.record(&name, &times, T::TOLERANCE);
        }
    }

    fn rate(&self) -> Result<f64, Failure> {
        if let Some(&known) = self.rate.get() {
            return Ok(known);
        }
        let program = chains::<T>()?;
        let all = self
            .bench
            .resident(&program, &points::<T>(self.bench.sizes.points)?)?;
        let few = self.bench.resident(&program, &points::<T>(FEW)?)?;
        let rate = self.bench.operations() / beyond(all.seconds, few.seconds);
        Ok(*self.rate.get_or_init(|| rate))
    }

    fn product(&self, n: usize) {
        let name = Name::new(SECTION, format!("{n}x{n}x{n}"), T::NAME);
        let measured = self.bench.case(&name, || {
            let program = compile(product::<T>)?;
            let few = Some((square::<T>(SMALL, 1)?, square::<T>(SMALL, 2)?));
            let all = (square::<T>(n, 1)?, square::<T>(n, 2)?);
            let times = self.bench.compare(&program, &all, few.as_ref())?;
            Ok((times, self.rate()?))
        });
        if let Some((times, most)) = measured {
            let rate = 2.0 * (n as f64).powi(3) / times.beyond;
            self.print(&name, rate, most, Some(GOAL), &times);
            self.bench.record(&name, &times, n as f64 * T::EPSILON);
            self.bench.judge(&name, rate / most, GOAL);
        }
    }

    fn print(&self, name: &Name, rate: f64, most: f64, goal: Option<f64>, times: &Times) {
        let quantities = [("flop / s", rate), ("share", rate / most)];
        self.bench.csv.borrow_mut().record(name, &quantities);
        let goal = goal.map_or(String::new(), |goal| format!("{:.0} %", goal * 100.0));
        line(&format!(
            "{:<22} {:>8.1} {:>4.0} % {goal:>5}  {}",
            format!("{} {}", name.case, name.ty),
            rate * 1e-9,
            rate / most * 100.0,
            times.columns()
        ));
    }
}

impl Bench {
    /// Of the chains: a multiply-add is two.
    fn operations(&self) -> f64 {
        (2 * CHAINS * STEPS * self.sizes.points) as f64
    }
}

/// What chains begin with, and what they multiply by and add.
type Points<T> = (Acc<Ix1, T>, Acc<Ix0, (T, T)>);

fn points<T: Real>(n: usize) -> Result<<Points<T> as Arrays>::Host, Failure> {
    let by = (T::from_f64(0.999), T::from_f64(0.001));
    Ok((Array::vector(numbers(n, 1))?, Array::scalar(by)))
}

/// The factors come from memory, so that nothing can be computed beforehand, and all ends are added up, so that
/// nothing can be left out.
fn chains<T: Real>() -> Result<Program<Points<T>, Acc<Ix1, T>>, Error> {
    compile(|x: Acc<Ix1, T>, by: Acc<Ix0, (T, T)>| {
        let (factor, term) = by.the();
        x.map(move |x| {
            let end = |chain| {
                let begin = x + f64::from(chain);
                (0..STEPS).fold(begin, |x, _| x * factor + term)
            };
            (1..CHAINS as u32).map(end).fold(end(0), |x, y| x + y)
        })
    })
}

fn square<T: Real>(n: usize, seed: u64) -> Result<Array<Ix2, T>, Failure> {
    Ok(Array::from_vec([n, n], numbers(n * n, seed))?)
}
