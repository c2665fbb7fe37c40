//! Lanes at the ends of rows that are computed apart from those between: the same ones of neighbouring rows together.
//!
//! A stencil has conditions that hold inside its array only, so that the first and the last lanes of a row are blocks of their own.
//! Such a block takes as long as some hundred lanes inside. Where rows are many, these lanes wait until they are a block of a nest
//! whose lanes are the rows. Points are computed by themselves, so that their results are the same.

use super::map::compute;
use super::space::{Place, lanes_for};
use super::{KernelCode, Launch, Variant};
use crate::code::{Code, Nest};
use crate::machine::{Env, Machine};
use cotangent_core::backend::RunError;
use cotangent_core::schedule::{Kernel, KernelKind};
use std::ops::Range;
use std::sync::OnceLock;

/// The fewest rows that are worth it.
const LEAST_ROWS: i64 = 64;
/// The most lanes at an end of a row.
const FEW_LANES: usize = 4;

/// The variant of a map whose lanes are neighbouring rows.
pub(super) fn across(kernel: &Kernel) -> Option<Variant> {
    let rank = kernel.space.len();
    let nest = |rows: usize| Nest {
        coords: rank,
        lane: rows..rows + 1,
        seq: 0..0,
        moving: 0,
        args: vec![],
    };
    match kernel.kind {
        KernelKind::Map { .. } => rank.checked_sub(2).map(|rows| Variant {
            nest: nest(rows),
            code: OnceLock::new(),
        }),
        KernelKind::Reduce { .. } | KernelKind::Contract { .. } | KernelKind::Scan { .. } => None,
        KernelKind::Segments { .. } => None,
        KernelKind::Sort { .. } | KernelKind::Scatter { .. } => None,
    }
}

/// The code for the borders of a map.
pub(super) struct Across<'a> {
    code: &'a Code,
    env: Env<'a>,
    place: Place,
}

impl KernelCode {
    /// The code for the borders of a map that runs by the given code, if they are to be computed apart.
    pub(super) fn across<'a>(
        &'a self,
        launch: &Launch<'a>,
        extents: &'a [i64],
        code: &Code,
    ) -> Result<Option<Across<'a>>, RunError> {
        let Some(variant) = &self.across else {
            return Ok(None);
        };
        let rows = &variant.nest.lane;
        let is_cut = !code.inside.is_empty() && code.nest.lane == (rows.end..extents.len());
        if !is_cut || extents[rows.start] < LEAST_ROWS {
            return Ok(None);
        }
        let (code, env) = self.bind(variant, launch)?.split(launch, extents);
        let place = Place::new(&code.nest, extents, extents.len());
        Ok(Some(Across { code, env, place }))
    }
}

/// The same lanes of neighbouring rows.
struct Run {
    /// The coordinates that all points have in common.
    outer: Vec<i64>,
    rows: Range<i64>,
    lanes: Range<i64>,
}

/// The lanes of a task that wait.
pub(super) struct Border<'a> {
    across: &'a Across<'a>,
    launch: &'a Launch<'a>,
    machine: Machine<'a>,
    /// The most rows that wait together.
    most: usize,
    runs: Vec<Run>,
}

impl<'a> Border<'a> {
    pub fn new(across: &'a Across<'a>, launch: &'a Launch<'a>) -> Self {
        let most = lanes_for(across.code, 0);
        Self {
            across,
            launch,
            machine: Machine::new(across.code, &across.env, most),
            most,
            runs: vec![],
        }
    }

    /// Takes lanes of a row, if they are few. Whether it did.
    pub fn take(&mut self, row: &[i64], start: i64, n: usize) -> bool {
        let Some((&last, outer)) = row.split_last().filter(|_| n <= FEW_LANES) else {
            return false;
        };
        let lanes = start..start + n as i64;
        let goes_on = |run: &Run| run.rows.end == last && run.lanes == lanes && run.outer == outer;
        let Some(at) = self.runs.iter().position(goes_on) else {
            self.runs.push(Run {
                outer: outer.to_vec(),
                rows: last..last + 1,
                lanes,
            });
            return true;
        };
        self.runs[at].rows.end += 1;
        if self.runs[at].rows.end - self.runs[at].rows.start == self.most as i64 {
            let run = self.runs.swap_remove(at);
            self.compute(&run);
        }
        true
    }

    /// Computes all that waits.
    pub fn finish(&mut self) {
        for run in std::mem::take(&mut self.runs) {
            self.compute(&run);
        }
    }

    fn compute(&mut self, run: &Run) {
        let count = (run.rows.end - run.rows.start) as usize;
        let mut row = run.outer.clone();
        for lane in run.lanes.clone() {
            row.push(lane);
            self.machine.row(&row);
            for (start, n) in self.machine.stretches(run.rows.start, count) {
                let to = (self.launch.outputs, &self.across.place);
                compute(&mut self.machine, to, &row, start, n);
            }
            row.pop();
        }
    }
}
