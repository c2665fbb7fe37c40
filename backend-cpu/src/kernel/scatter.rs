//! Scatters: updates, which are targets and values, are combined with the elements of the outputs in source order.
//!
//! There are three ways. One thread by itself computes a few updates at a time, which stay in its first cache, and combines them.
//! Several threads compute the updates of a wave together, which one of them combines, if that is much work. Sums of integers, of which the order does not
//! matter, are instead added up by each thread in memory of its own where that is small beside the number of points ([`private`]).

mod private;
mod sums;
mod targets;
mod updates;

use super::share::share;
use super::space::{Blocks, Place, lanes_for, work};
use super::{KernelCode, Launch, bug};
use crate::code::Code;
use crate::machine::coords::product;
use crate::machine::{Env, Machine};
use crate::memory::OutRef;
use crate::passes::is_large;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::SiteId;
use cotangent_core::term::Combine;
use std::ops::Range;
use targets::Targets;
use updates::{Combining, Wave};

/// The points of a wave, whose updates are in memory until they are combined.
const WAVE: i64 = 1 << 16;
/// The same for a thread by itself, which has none to share them with: so few that they stay in the first cache.
const OWN_WAVE: i64 = 1 << 11;
/// Updates of so many instructions are computed in less time than a wave takes to be written and read.
const FEW_INSTRUCTIONS: usize = 16;
/// Blocks of so many points need no wave: they are combined one by one.
const LONG: usize = 64;

/// A scatter that is running.
struct Scatter<'a> {
    launch: &'a Launch<'a>,
    code: &'a Code,
    env: Env<'a>,
    combine: Combine,
    points: i64,
    blocks: Blocks,
    place: Place,
    targets: Targets<'a>,
    /// The work of a block.
    work: usize,
}

impl KernelCode {
    /// Runs a scatter from a space of the given extents.
    pub(super) fn scatter(
        &self,
        launch: &Launch,
        extents: &[i64],
        site: SiteId,
        combine: Combine,
    ) -> Result<(), RunError> {
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        let lanes = lanes_for(code, launch.outputs.len());
        let blocks = Blocks::new(&code.nest, extents, lanes)
            .ok_or_else(|| bug("an index space has too many points"))?;
        let scatter = Scatter {
            launch,
            combine,
            points: product(extents).unwrap_or(i64::MAX),
            place: Place::new(&code.nest, extents, extents.len()),
            targets: Targets::new(code.target.isa, launch.target_extents, site),
            work: work(code) * lanes.min(blocks.row_len.max(1) as usize),
            blocks,
            code,
            env,
        };
        scatter.run()
    }
}

impl Scatter<'_> {
    fn run(&self) -> Result<(), RunError> {
        let all = (self.blocks.count as usize).saturating_mul(self.work);
        let is_alone = self.launch.team.threads == 1 || !is_large(all);
        let are_cheap = work(self.code) <= FEW_INSTRUCTIONS;
        match (is_alone, self.is_private()) {
            (false, true) => self.privately(),
            (false, false) if !are_cheap => self.in_waves(),
            (true, _) | (false, false) => self.alone(),
        }
    }

    /// What one thread does by itself.
    fn alone(&self) -> Result<(), RunError> {
        match self.is_private() {
            true => self.count_private(),
            false => self.count_waves(),
        }
        self.combine(self.launch.outputs, std::iter::once(0..self.blocks.count))
    }

    /// Computes the updates of blocks, a few at a time, and combines them with arrays that no other task touches.
    fn combine(
        &self,
        outputs: &[OutRef],
        claims: impl Iterator<Item = Range<i64>>,
    ) -> Result<(), RunError> {
        let at_once = self.blocks_of(OWN_WAVE);
        let team = self.launch.team;
        let wave = Wave::new(outputs, at_once * self.lanes_per_block())?;
        let mut combining = Combining::new((self.combine, team), outputs, self.points)?;
        let mut machine = Machine::new(self.code, &self.env, self.blocks.lanes);
        for claim in claims {
            for first in claim.clone().step_by(at_once as usize) {
                let blocks = first..(first + at_once).min(claim.end);
                self.combine_blocks(&mut machine, (&wave, &mut combining), blocks);
                if self.launch.failure.is_cancelled() {
                    return Ok(());
                }
            }
        }
        combining.finish(team);
        Ok(())
    }

    /// The same of no more blocks than a wave has room for. What need not be in the wave is combined as it is computed.
    fn combine_blocks(
        &self,
        machine: &mut Machine,
        (wave, combining): (&Wave, &mut Combining),
        blocks: Range<i64>,
    ) {
        let is_direct = combining.is_direct();
        let mut stored = 0;
        self.blocks.visit(machine, blocks, |machine, _, start, n| {
            machine.block(start, n);
            let is_long = is_direct && n >= LONG;
            if let Some(indices) = is_long.then(|| self.targets.indices(machine, n)).flatten() {
                combining.wave(wave, self.targets.are_off(), std::mem::take(&mut stored));
                combining.block(machine, indices);
            } else {
                // SAFETY: the wave has room for the points of its blocks, and only this task touches it.
                unsafe { self.targets.store(machine, n, wave, stored) }
                stored += n as i64;
            }
        });
        combining.wave(wave, self.targets.are_off(), stored);
    }

    /// What several threads do together: all compute the updates of a wave; one combines them.
    fn in_waves(&self) -> Result<(), RunError> {
        let team = self.launch.team;
        let outputs = self.launch.outputs;
        let at_once = self.blocks_of(WAVE);
        let wave = Wave::new(outputs, at_once * self.lanes_per_block())?;
        let mut combining = Combining::new((self.combine, team), outputs, self.points)?;
        for first in (0..self.blocks.count).step_by(at_once as usize) {
            let blocks = first..(first + at_once).min(self.blocks.count);
            share(team, blocks.end - first, self.work, |claims| {
                let mut machine = Machine::new(self.code, &self.env, self.blocks.lanes);
                claims.for_each(|claim| {
                    let claim = first + claim.start..first + claim.end;
                    self.compute(&mut machine, &wave, first, claim);
                });
            });
            if self.launch.failure.is_cancelled() {
                // Some blocks of the wave may not be there; nobody reads what has been combined.
                return Ok(());
            }
            team.passes.alone();
            combining.wave(&wave, self.targets.are_off(), self.points_of(&blocks));
        }
        combining.finish(team);
        Ok(())
    }

    /// Counts the passes that several threads would make, in waves.
    fn count_waves(&self) {
        let (team, at_once) = (self.launch.team, self.blocks_of(WAVE));
        for first in (0..self.blocks.count).step_by(at_once as usize) {
            team.begin(at_once.min(self.blocks.count - first), self.work);
            team.passes.alone();
        }
    }

    /// Computes the updates of blocks of a wave, of which `first` is the first.
    fn compute(&self, machine: &mut Machine, wave: &Wave, first: i64, blocks: Range<i64>) {
        let origin = self.points_before(first);
        self.blocks
            .visit(machine, blocks, |machine, row, start, n| {
                machine.block(start, n);
                let position = self.place.position(row, start) - origin;
                // SAFETY: the wave has room for its blocks, and each is computed by one task.
                unsafe { self.targets.store(machine, n, wave, position) }
            });
    }

    /// So many blocks as have that number of points: one at least, and no more than there are.
    fn blocks_of(&self, points: i64) -> i64 {
        (points / self.lanes_per_block()).clamp(1, self.blocks.count.max(1))
    }

    fn lanes_per_block(&self) -> i64 {
        (self.blocks.lanes as i64).min(self.blocks.row_len.max(1))
    }

    fn points_of(&self, blocks: &Range<i64>) -> i64 {
        self.points_before(blocks.end) - self.points_before(blocks.start)
    }

    /// The number of points before a block.
    fn points_before(&self, block: i64) -> i64 {
        let Blocks {
            per_row,
            row_len,
            lanes,
            ..
        } = self.blocks;
        let (row, at) = (block / per_row.max(1), block % per_row.max(1));
        row * row_len + at * lanes as i64
    }
}
