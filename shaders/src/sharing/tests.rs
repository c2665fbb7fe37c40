//! Arrangements: they take no more buffers than there are, and memory does not overlap.

use super::*;
use quickcheck::{Arbitrary, Gen, quickcheck};

const MIB: u64 = 1 << 20;

fn words(bytes: u64) -> Wanted {
    let cells = Cells::Words;
    Wanted { bytes, cells }
}

fn bindable(buffers: u32, bytes: u64) -> Bindable {
    Bindable { buffers, bytes }
}

fn arranged(wanted: &[Wanted], buffers: u32, bytes: u64) -> Result<Binds, TooMany> {
    arrange(wanted, buffers, bindable(buffers, bytes))
}

#[test]
fn the_least_memory_shares_and_no_more_than_it_takes() {
    let wanted = [700, 16, 900, 20, 800].map(words);
    let binds = arranged(&wanted, 4, MIB).unwrap();
    let shared = &binds.shared;
    assert_eq!(shared.len(), 1);
    assert_eq!(shared[0].members, [(1, 0..16), (3, 16..36)]);
    assert_eq!(shared[0].bytes, 36);
    assert_eq!(binds.locations[3], Location::Shared(0));
    assert_eq!(binds.locations[4], Location::Alone(1));
    assert_eq!([1, 3, 4].map(|n| binds.offset(n)), [Some(0), Some(4), None]);
    assert!(arranged(&wanted, 5, MIB).unwrap().shared.is_empty());
}

#[test]
fn widths_do_not_mix_and_nothing_shares_alone() {
    let of = |cells, bytes| Wanted { bytes, cells };
    let wanted = [
        of(Cells::Wides, 8),
        of(Cells::Words, 12),
        of(Cells::Halves, 2),
        of(Cells::Atomic("atomic<u32>"), 4),
        of(Cells::Words, 4000),
    ];
    let binds = arranged(&wanted, 4, MIB).unwrap();
    assert_eq!(binds.shared.len(), 1);
    assert_eq!(binds.shared[0].members, [(1, 0..12), (4, 16..4016)]);
    assert_eq!(arranged(&wanted, 3, MIB), Err(TooMany { needed: 5 }));
}

#[test]
fn shared_bindings_are_no_larger_than_what_is_bound() {
    let wanted = [600, 600, 600, 300].map(words);
    // 300 and 600 go together, two of 600 do not.
    assert_eq!(arranged(&wanted, 3, 1024).unwrap().shared.len(), 1);
    assert_eq!(arranged(&wanted, 2, 1024), Err(TooMany { needed: 4 }));
    // What is larger is in windows, which take as many buffers.
    let binds = arranged(&[words(3000), words(10), words(10)], 4, 1024).unwrap();
    assert_eq!(binds.locations[0], Location::Alone(3));
    assert_eq!(binds.shared.len(), 1);
}

/// What is empty takes no room, though it begins where something else does.
#[test]
fn memory_may_be_empty() {
    let binds = arranged(&[words(836), words(0)], 1, 2048).unwrap();
    assert_eq!(binds.shared[0].members, [(0, 0..836), (1, 0..0)]);
}

/// Memory of sizes and widths.
#[derive(Clone, Debug)]
struct Wishes(Vec<(u64, u8)>);

impl Arbitrary for Wishes {
    fn arbitrary(g: &mut Gen) -> Self {
        let sizes = Vec::<(u16, u8)>::arbitrary(g).into_iter();
        Self(
            sizes
                .map(|(size, kind)| (u64::from(size % 3000), kind))
                .collect(),
        )
    }
}

quickcheck! {
    fn arrangements_hold_everything_once(wishes: Wishes, buffers: u8) -> bool {
        let kinds = [Cells::Halves, Cells::Words, Cells::Wides, Cells::Atomic("atomic<u32>")];
        let wanted = wishes.0.iter().map(|&(bytes, kind)| Wanted { bytes, cells: kinds[usize::from(kind) % 4] });
        let wanted: Vec<_> = wanted.collect();
        let buffers = u32::from(buffers % 12);
        let Ok(binds) = arranged(&wanted, buffers, 2048) else {
            return wanted.len() as u32 > buffers || wanted.iter().any(|w| w.bytes > 2048);
        };
        let alone = binds.locations.iter().map(|location| match location {
            Location::Alone(windows) => *windows,
            Location::Shared(_) => 0,
        });
        let taken = alone.sum::<u32>() + binds.shared.len() as u32;
        let is_sound = |shared: &Shared| {
            let mut ranges: Vec<_> = shared.members.iter().map(|(_, range)| range.clone()).collect();
            ranges.sort_by_key(|range| (range.start, range.end));
            let apart = ranges.windows(2).all(|pair| pair[0].end.next_multiple_of(4) <= pair[1].start);
            let within = ranges.iter().all(|range| range.start % UNIT == 0 && range.end <= shared.bytes);
            let own = shared.members.iter().all(|(at, range)| {
                wanted[*at].cells == shared.cells && wanted[*at].bytes == range.end - range.start
            });
            apart && within && own && shared.bytes <= 2048 && shared.members.len() > 1
        };
        let members: usize = binds.shared.iter().map(|shared| shared.members.len()).sum();
        let placed = binds.locations.iter().filter(|location| matches!(location, Location::Shared(_))).count();
        taken <= buffers && members == placed && binds.shared.iter().all(is_sound)
    }
}
