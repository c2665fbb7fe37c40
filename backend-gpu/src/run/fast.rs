//! The fast way of reductions, contractions and scans, and of maps that read across: workgroups do parts of rows, or tiles
//! of results, together.
//!
//! Who does what is chosen by extents alone (`cut.rs`). A kernel that fails this way runs again the simple way, as the
//! whole program does, so nothing is said here about where.

use super::Run;
use super::cut::{By, Cut, Product, tiles};
use crate::device::Groups;
use crate::memory::Memory as Buffer;
use crate::prepare::KernelCode;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::{Kernel, KernelKind, Role};
use cotangent_shaders::{Blocks, Contraction, Passes, Reduction, Scanning, Tiled};

impl Run<'_> {
    /// The fast way, if there is one.
    pub(super) fn fast(
        &mut self,
        kernel: &Kernel,
        code: &KernelCode,
        rows: u32,
        inner: u32,
    ) -> Result<bool, RunError> {
        match code {
            KernelCode::Reduce(reduction) => {
                self.fast_reduction(kernel, reduction, rows, inner)?;
                Ok(true)
            }
            KernelCode::Contract(contraction) => {
                self.contraction(kernel, contraction, rows, inner)?;
                Ok(true)
            }
            KernelCode::Scan(scanning) => self.fast_scan(kernel, scanning, rows, inner),
            KernelCode::Map(mapping) => self.map_by_tiles(kernel, mapping.tiled.as_ref()),
            KernelCode::Scatter(_) => Ok(false),
        }
    }

    /// A map by tiles, where there are any and they are large enough.
    fn map_by_tiles(&mut self, kernel: &Kernel, tiled: Option<&Tiled>) -> Result<bool, RunError> {
        let extents = self.store.ints(&kernel.space);
        let tiles = tiled.and_then(|tiled| tiles(&extents, tiled.across, self.gpu.groups));
        let (Some(tiled), Some(tiles)) = (tiled, tiles) else {
            return Ok(false);
        };
        self.launch_over(tiles, kernel, &tiled.shader, Cut::none(), &[], &[])?;
        Ok(true)
    }

    fn fast_reduction(
        &mut self,
        kernel: &Kernel,
        reduction: &Reduction,
        rows: u32,
        inner: u32,
    ) -> Result<(), RunError> {
        let groups = self.groups(reduction.together.is_some());
        let (cut, by) = Cut::of_fast_reduction(rows, inner, reduction.neighbours, groups);
        if cut.parts() == 1 {
            return self.launch(kernel, &passes(reduction, by).whole, cut, &[], &[]);
        }
        let parts = match by {
            By::Column => &reduction.columns,
            By::Invocation | By::Group | By::SmallGroup => &passes(reduction, by).parts,
        };
        let left = self.scratch(kernel, &reduction.types, cut)?;
        self.launch(kernel, parts, cut, &[], &left)?;
        self.combine_parts(kernel, reduction, cut, left)
    }

    /// Combines what the parts of rows gave.
    fn combine_parts(
        &mut self,
        kernel: &Kernel,
        reduction: &Reduction,
        cut: Cut,
        mut left: Vec<Buffer>,
    ) -> Result<(), RunError> {
        let groups = self.groups(reduction.together.is_some());
        let (mut cut, mut by) = cut.left_fast(groups);
        while cut.parts() > 1 {
            let next = self.scratch(kernel, &reduction.types, cut)?;
            self.launch(kernel, &passes(reduction, by).between, cut, &left, &next)?;
            left = next;
            (cut, by) = cut.left_fast(groups);
        }
        self.launch(kernel, &passes(reduction, by).last, cut, &left, &[])
    }

    fn contraction(
        &mut self,
        kernel: &Kernel,
        contraction: &Contraction,
        rows: u32,
        inner: u32,
    ) -> Result<(), RunError> {
        let reduction = &contraction.reduction;
        let product = self.product(kernel, inner)?;
        let tiles = contraction.tilings.iter().map(|tiling| tiling.tile);
        let Some((at, groups, cut)) = product.tiled(tiles, self.gpu.groups) else {
            return self.fast_reduction(kernel, reduction, rows, inner);
        };
        let tiling = &contraction.tilings[at];
        if cut.parts() == 1 {
            return self.launch_over(groups, kernel, &tiling.whole, cut, &[], &[]);
        }
        let left = self.scratch(kernel, &reduction.types, cut)?;
        self.launch_over(groups, kernel, &tiling.parts, cut, &[], &left)?;
        self.combine_parts(kernel, reduction, cut, left)
    }

    /// The extents of a contraction as a product of matrices.
    fn product(&self, kernel: &Kernel, inner: u32) -> Result<Product, RunError> {
        let KernelKind::Contract { roles, .. } = &kernel.kind else {
            return Err(RunError::Bug("tiles of no contraction".to_owned()));
        };
        let extent = |role| -> Result<u32, RunError> {
            let axes = kernel.space.iter().zip(roles);
            let axes = axes.filter(|(_, r)| **r == role);
            let extents: Vec<_> = axes.map(|(&symbol, _)| self.store.int(symbol)).collect();
            self.count(kernel, &extents)
        };
        Ok(Product {
            batch: extent(Role::Batch)?,
            sides: [extent(Role::Left)?, extent(Role::Right)?],
            inner,
        })
    }

    /// When workgroups do rows of a kernel together.
    fn groups(&self, are_there: bool) -> Groups {
        match are_there {
            true => self.gpu.groups,
            false => Groups::Never,
        }
    }

    /// A scan the fast way, if there is one.
    fn fast_scan(
        &mut self,
        kernel: &Kernel,
        scanning: &Scanning,
        rows: u32,
        inner: u32,
    ) -> Result<bool, RunError> {
        let groups = self.groups(scanning.blocks.is_some());
        if inner == 0 && !scanning.has_init {
            return Ok(true);
        }
        if let Some(cut) = Cut::of_scan_alone(rows, inner, groups) {
            self.launch(kernel, &scanning.whole, cut, &[], &[])?;
            return Ok(true);
        }
        let Some(blocks) = scanning.blocks.as_ref().filter(|_| groups != Groups::Never) else {
            return Ok(false);
        };
        let small = scanning.small.as_ref();
        let small = small.filter(|small| Cut::is_for_small_blocks(rows, inner, small.length));
        let blocks = small.unwrap_or(blocks);
        let cut = Cut::of_blocks(rows, inner, blocks.length);
        if cut.parts() == 1 {
            self.launch(kernel, &blocks.whole, cut, &[], &[])?;
            return Ok(true);
        }
        let sums = self.scratch(kernel, &scanning.types, cut)?;
        self.launch(kernel, &blocks.sums, cut, &[], &sums)?;
        let before = self.before_blocks(kernel, scanning, blocks, cut, sums)?;
        self.launch(kernel, &blocks.last, cut, &before, &[])?;
        Ok(true)
    }

    /// What comes before each part, given the values of parts.
    fn before_blocks(
        &mut self,
        kernel: &Kernel,
        scanning: &Scanning,
        blocks: &Blocks,
        of: Cut,
        sums: Vec<Buffer>,
    ) -> Result<Vec<Buffer>, RunError> {
        let cut = Cut::of_blocks(of.rows, of.parts(), blocks.length);
        let before = self.scratch(kernel, &scanning.types, of)?;
        if cut.parts() == 1 {
            self.launch(kernel, &blocks.before, cut, &sums, &before)?;
            return Ok(before);
        }
        let fewer = self.scratch(kernel, &scanning.types, cut)?;
        self.launch(kernel, &blocks.sums_of_sums, cut, &sums, &fewer)?;
        let before_fewer = self.before_blocks(kernel, scanning, blocks, cut, fewer)?;
        let from = [sums, before_fewer].concat();
        self.launch(kernel, &blocks.before_within, cut, &from, &before)?;
        Ok(before)
    }
}

/// The shaders of those who do parts.
fn passes(reduction: &Reduction, by: By) -> &Passes {
    let group = match by {
        By::Group => &reduction.together,
        By::SmallGroup => &reduction.small,
        By::Invocation | By::Column => &None,
    };
    group.as_ref().unwrap_or(&reduction.alone)
}
