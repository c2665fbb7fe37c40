//! Contractions by tiles: they give what they give as plain reductions.

use super::gpu;
use super::rows::{Builder, assert_agreement, table};
use crate::Groups;
use crate::run::cut::Product;
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::{self, F32, F64};
use cotangent_shaders::Tile;

/// Batch, rows, columns and inner extents around the edges of tiles and parts.
const EXTENTS: [[usize; 4]; 23] = [
    [1, 0, 3, 9],
    [1, 1, 1, 9],
    [1, 3, 5, 0],
    [2, 16, 16, 8],
    [3, 15, 17, 16],
    [1, 31, 33, 17],
    [2, 32, 32, 128],
    [1, 64, 64, 64],
    [1, 63, 65, 65],
    [1, 65, 63, 33],
    [1, 130, 70, 40],
    [1, 127, 127, 40],
    [1, 200, 8, 50],
    [1, 200, 7, 50],
    [1, 9, 150, 50],
    [1, 6, 150, 31],
    [1, 32, 32, 3000],
    [2, 17, 40, 700],
    [1, 70, 70, 5000],
    [40, 4, 4, 20],
    [1, 100, 1, 200],
    [1, 1, 100, 200],
    [1, 16, 16, 40_000],
];

struct Form {
    semiring: Semiring,
    ty: ScalarType,
    has_init: bool,
    /// Whether each factor has the inner space outermost.
    turned: [bool; 2],
}

/// A product of `[batch, rows, inner]` and `[batch, inner, columns]`, or of transposed ones.
fn contraction(form: &Form) -> Checked<Schedule> {
    let mut b = Builder::new();
    let [batch, rows] = [SymbolId(0), SymbolId(1)];
    let [columns, inner] = [b.symbol(ScalarType::I32), b.symbol(ScalarType::I32)];
    let at = [0, 1, 2, 3].map(|axis| b.coord(axis));
    let mut factors = vec![];
    for (turned, side, extent) in [(form.turned[0], 1, rows), (form.turned[1], 2, columns)] {
        let (extents, index) = match turned {
            false => ([batch, extent, inner], [at[0], at[side], at[3]]),
            true => ([batch, inner, extent], [at[0], at[3], at[side]]),
        };
        let array = b.param(form.ty, &extents);
        factors.push(b.load(array, &index, false));
    }
    let times = Op::Prim(form.semiring.times(), factors.clone());
    let value = b.body.push(times, form.ty);
    let init = form
        .has_init
        .then(|| b.symbols(&[Const::small(form.ty, 5)])[0]);
    let array = b.result(form.ty, &[batch, rows, columns]);
    let kind = KernelKind::Contract {
        semiring: form.semiring,
        inner: vec![inner],
        body: b.body.clone(),
        roles: vec![Role::Batch, Role::Left, Role::Right],
        left: factors[0],
        right: factors[1],
        init,
        structure: Structure::default(),
        output: Output { value, array },
    };
    b.kernel(&[batch, rows, columns], kind)
}

fn inputs(form: &Form, [batch, rows, columns, inner]: [usize; 4]) -> [HostArray; 2] {
    let of = |turned, extent, seed| match turned {
        false => table(form.ty, &[batch, extent, inner], seed),
        true => table(form.ty, &[batch, inner, extent], seed),
    };
    [of(form.turned[0], rows, 1), of(form.turned[1], columns, 2)]
}

#[test]
fn contractions_agree_with_the_simple_way() {
    let Some(gpu) = gpu() else { return };
    let turns = [[false, true], [false, false], [true, true], [true, false]];
    for (n, semiring) in Semiring::ALL.into_iter().enumerate() {
        for ty in [F32, F64] {
            if !gpu.target().has(ty) {
                continue;
            }
            let form = Form {
                semiring,
                ty,
                // Without, an empty inner space has no result.
                has_init: true,
                turned: turns[n % turns.len()],
            };
            let schedule = contraction(&form);
            for extents in EXTENTS {
                let inputs = inputs(&form, extents);
                let what = format!("{semiring} of {ty} {extents:?}");
                let found = assert_agreement(gpu, &schedule, &inputs, &what);
                assert!(found.is_ok(), "{what}");
            }
        }
    }
}

#[test]
fn every_tile_is_the_best_one_for_some_product() {
    let mut found = [false; Tile::ALL.len()];
    for [batch, rows, columns, inner] in EXTENTS.map(|extents| extents.map(|e| e as u32)) {
        let product = Product {
            batch,
            sides: [rows, columns],
            inner,
        };
        if let Some((at, _, _)) = product.tiled(Tile::ALL.into_iter(), Groups::Never) {
            found[at] = true;
        }
    }
    assert_eq!(found, [true; Tile::ALL.len()]);
}

/// The largest tile needs the least memory traffic, but gives a GPU enough to do for large products only.
#[test]
fn gpus_do_large_tiles_of_large_products() {
    let best = |n, groups| {
        let product = Product {
            batch: 1,
            sides: [n, n],
            inner: n,
        };
        let (at, _, _) = product.tiled(Tile::ALL.into_iter(), groups).unwrap();
        Tile::ALL[at].extents()
    };
    assert_eq!(best(4096, Groups::WherePaying), [128, 128]);
    assert_eq!(best(512, Groups::WherePaying), [64, 64]);
    assert_eq!(best(512, Groups::Never), [128, 128]);
}
