//! Kernels that do little with much: how near they come to the bandwidth that a copy reaches.
//!
//! The bytes of a case are what it has to read and to write, whatever it moves besides.

use super::Bench;
use super::report::{Name, line};
use super::sides::{Times, beyond};
use super::values::{Real, Values};
use crate::Failure;
use crate::matrices::numbers;
use cotangent::prelude::*;
use cotangent::{Error, Program, compile};
use std::cell::OnceCell;

const SECTION: &str = "bandwidth";

/// The case that others are compared with.
const COPY: &str = "copy";

/// The share of a copy's bandwidth that maps have to reach on a GPU.
const MAPS: Option<f64> = Some(0.8);
/// The same for folds and scans.
const FOLDS: Option<f64> = Some(0.7);

/// Elements on which a program takes next to no time but that of being submitted.
const FEW: usize = 64;
/// The bins of histograms.
const BINS: i32 = 256;
/// The length of rows.
const ROW: usize = 1024;

type Vector<T> = Acc<Ix1, T>;
type Indices = Acc<Ix1, i32>;
type Matrix<T> = Acc<Ix2, T>;

/// Measures all cases with elements of type `T`.
pub fn measure<T: Real>(bench: &Bench) {
    let n = bench.sizes.bytes / size_of::<T>();
    bench.begin(format!(
        "\n{SECTION}, {n} elements of {}; share: of what y = -x reaches\n{:<22} {:>8} {:>6} {:>5}  {}",
        T::NAME,
        "case",
        "GB/s",
        "share",
        "goal",
        Times::heading()
    ));
    let table = Table::<T> {
        bench,
        n,
        copy: OnceCell::new(),
        types: std::marker::PhantomData,
    };
    maps(&table);
    folds(&table);
    moves(&table);
}

fn maps<T: Real>(table: &Table<T>) {
    table.case(
        Case(COPY, [2, 0], None),
        || compile(|x: Vector<T>| x.map(|x| -x)),
        vector::<T>,
    );
    table.case(
        Case("map", [2, 0], MAPS),
        || compile(|x: Vector<T>| x.map(|x| x * 2.0 + 1.0)),
        vector::<T>,
    );
    table.case(
        Case("zip_with", [3, 0], MAPS),
        || compile(|x: Vector<T>, y: Vector<T>| x.zip_with(y, |x, y| x * y + 1.0)),
        |n| Ok((vector::<T>(n)?, vector::<T>(n)?)),
    );
    table.case(
        Case("transpose", [2, 0], MAPS),
        || compile(|x: Matrix<T>| x.transpose()),
        square::<T>,
    );
}

fn folds<T: Real>(table: &Table<T>) {
    let fold_all = || compile(|x: Vector<T>| x.sum());
    table.case(Case("fold of all", [1, 0], FOLDS), fold_all, vector::<T>);
    let row_sums = || compile(|x: Matrix<T>| x.sum());
    table.case(Case("row sums", [1, 0], FOLDS), row_sums, rows::<T>);
    let column_sums = || compile(|x: Matrix<T>| x.transpose().sum());
    table.case(Case("column sums", [1, 0], FOLDS), column_sums, rows::<T>);
    let scan = || compile(|x: Vector<T>| x.scanl1(|x, y| x + y));
    table.case(Case("scan", [2, 0], FOLDS), scan, vector::<T>);
}

/// Gathers and scatters, by indices that are far apart.
fn moves<T: Real>(table: &Table<T>) {
    let gather = |x: Vector<T>, from: Indices| from.map(move |i| x.at(ix![i]));
    let far = |n| Ok((vector::<T>(n)?, mixed(n, n)?));
    table.case(Case("gather", [2, 1], None), || compile(gather), far);
    let permute = |x: Vector<T>, to: Indices| {
        x.scatter(
            Combine::Overwrite,
            fill(x.shape(), constant(T::from_f64(0.0))),
            to,
        )
    };
    table.case(Case("permute", [2, 1], None), || compile(permute), far);
    let add = |x: Vector<T>, to: Indices| {
        x.scatter(
            Combine::Add,
            fill(x.shape(), constant(T::from_f64(0.0))),
            to,
        )
    };
    table.case(Case("scatter-add", [2, 1], None), || compile(add), far);
    let totals = |x: Vector<T>, to: Indices| {
        x.scatter(
            Combine::Add,
            fill(ix![BINS], constant(T::from_f64(0.0))),
            to,
        )
    };
    let binned = |n| Ok((vector::<T>(n)?, mixed(n, BINS as usize)?));
    table.case(
        Case("totals by bin", [1, 1], None),
        || compile(totals),
        binned,
    );
    // Counts are integers, whatever type the others are of.
    if size_of::<T>() != size_of::<i32>() {
        return;
    }
    let counts = |to: Indices| fill(to.shape(), 1).scatter(Combine::Add, fill(ix![BINS], 0), to);
    let bins = |n| mixed(n, BINS as usize);
    table.case(Case("histogram", [0, 1], None), || compile(counts), bins);
}

/// A case: its name, the elements and the indices that it reads and writes for each point, its goal.
#[derive(Clone, Copy)]
struct Case(&'static str, [usize; 2], Option<f64>);

struct Table<'a, T> {
    bench: &'a Bench,
    n: usize,
    /// What a copy reaches in bytes a second, once that is measured.
    copy: OnceCell<f64>,
    types: std::marker::PhantomData<T>,
}

impl<T: Real> Table<'_, T> {
    fn case<In: Arrays, Out: Arrays>(
        &self,
        case: Case,
        program: impl FnOnce() -> Result<Program<In, Out>, Error>,
        inputs: impl Fn(usize) -> Result<In::Host, Failure>,
    ) where
        In::Host: Clone,
        Out::Host: Values,
    {
        let name = Name::new(SECTION, case.0, T::NAME);
        let measured = self.bench.case(&name, || {
            let times = self
                .bench
                .compare(&program()?, &inputs(self.n)?, Some(&inputs(FEW)?))?;
            // The copy is compared with itself.
            if case.0 == COPY {
                self.copy.get_or_init(|| self.bytes(case.1) / times.beyond);
            }
            Ok((times, self.copy()?))
        });
        if let Some((times, copy)) = measured {
            self.print(&name, case, &times, copy);
        }
    }

    fn print(&self, name: &Name, Case(_, traffic, goal): Case, times: &Times, copy: f64) {
        let rate = self.bytes(traffic) / times.beyond;
        let share = rate / copy;
        let quantities = [("bytes / s", rate), ("share", share)];
        self.bench.csv.borrow_mut().record(name, &quantities);
        let wanted = goal.map_or(String::new(), |goal| format!("{:.0} %", goal * 100.0));
        line(&format!(
            "{:<22} {:>8.2} {:>4.0} % {wanted:>5}  {}",
            format!("{} {}", name.case, name.ty),
            rate * 1e-9,
            share * 100.0,
            times.columns()
        ));
        self.bench.record(name, times, T::TOLERANCE);
        if let Some(goal) = goal {
            self.bench.judge(name, share, goal);
        }
    }

    fn bytes(&self, [elements, indices]: [usize; 2]) -> f64 {
        (self.n * (elements * size_of::<T>() + indices * size_of::<i32>())) as f64
    }

    fn copy(&self) -> Result<f64, Failure> {
        if let Some(&known) = self.copy.get() {
            return Ok(known);
        }
        let program = compile(|x: Vector<T>| x.map(|x| -x))?;
        let all = self.bench.resident(&program, &vector::<T>(self.n)?)?;
        let few = self.bench.resident(&program, &vector::<T>(FEW)?)?;
        let rate = self.bytes([2, 0]) / beyond(all.seconds, few.seconds);
        Ok(*self.copy.get_or_init(|| rate))
    }
}

/// Numbers in (0, 1), whose sums do not cancel.
fn positive<T: Real>(n: usize) -> Vec<T> {
    let numbers = numbers::<f64>(n, 1).into_iter();
    numbers.map(|x| T::from_f64(x * 0.5 + 0.5)).collect()
}

fn vector<T: Real>(n: usize) -> Result<Array<Ix1, T>, Failure> {
    Ok(Array::vector(positive(n))?)
}

fn matrix<T: Real>(n: usize, columns: usize) -> Result<Array<Ix2, T>, Failure> {
    Ok(Array::from_vec([n / columns, columns], positive(n))?)
}

/// A matrix of long rows.
fn rows<T: Real>(n: usize) -> Result<Array<Ix2, T>, Failure> {
    matrix(n, ROW.min(n))
}

/// A matrix about as wide as high.
fn square<T: Real>(n: usize) -> Result<Array<Ix2, T>, Failure> {
    matrix(n, 1 << (n.ilog2() / 2))
}

/// As many indices below `bound`, both powers of two: each equally often, neighbours far apart.
fn mixed(n: usize, bound: usize) -> Result<Array<Ix1, i32>, Failure> {
    let index = |i: usize| (i.wrapping_mul(2_654_435_761) & (bound - 1)) as i32;
    Ok(Array::vector((0..n).map(index).collect())?)
}
