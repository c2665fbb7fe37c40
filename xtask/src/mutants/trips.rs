//! Bugs in the derivatives of loops.

use super::list::Mutant;

const fn in_ad(
    name: &'static str,
    file: &'static str,
    find: &'static str,
    replace: &'static str,
) -> Mutant {
    Mutant {
        name,
        file,
        find,
        replace,
        package: "cotangent-ad",
    }
}

/// These bugs, in the order of the files.
pub const TRIPS: &[Mutant] = &[
    in_ad(
        "ad: trips of loops go forwards in the dual",
        "ad/src/acc/looping.rs",
        "b.prim(Prim::Sub, &[last, k])",
        "{ let _ = last; k }",
    ),
    in_ad(
        "ad: only the first useful columns of loops have adjoints",
        "ad/src/acc/looping.rs",
        "known || needed.contains(&param.name)",
        "known",
    ),
    in_ad(
        "ad: what no trip changes has no adjoint from outside of the loop",
        "ad/src/acc/looping.rs",
        "(Some(d), false) if counted.stays(at) => {",
        "(Some(d), false) if false && counted.stays(at) => {",
    ),
    in_ad(
        "ad: a first state that the only trip does not read has the adjoint of the last",
        "ad/src/acc/looping.rs",
        "(Some(d), false) if counted.stays(at) => {",
        "(Some(d), false) => {",
    ),
    in_ad(
        "ad: stacks of settled states begin with the first state",
        "ad/src/acc/looping/stacks.rs",
        "TripExtents::Settled(_) | TripExtents::Open => 1,",
        "TripExtents::Settled(_) | TripExtents::Open => 0,",
    ),
    in_ad(
        "ad: adjoints that are updated in place are added once more",
        "ad/src/acc/contributions.rs",
        "self.contributed(array.name).whole[0] = total;",
        "self.contributed(array.name).whole.push(total);",
    ),
    in_ad(
        "ad: tangents of loops start from zero",
        "ad/src/exp/looping.rs",
        "let one = forward.b.small(forward.b.type_of(x), 1);",
        "let one = forward.b.small(forward.b.type_of(x), 0);",
    ),
    in_ad(
        "ad: elements that change from trip to trip are taken for the same",
        "ad/src/exp/looping.rs",
        "|| elements.any(changes)\n",
        "|| { elements.any(changes); false }\n",
    ),
    in_ad(
        "ad: what a branch of a trip reads is there",
        "ad/src/exp/looping.rs",
        "if !element.is_sure {",
        "if !element.is_sure && index.is_empty() {",
    ),
    in_ad(
        "ad: lifted loops go on where a test has failed before",
        "ad/src/acc/lifted.rs",
        "let mut holds = b.prim(Prim::Eq, &[made, k]);",
        "let mut holds = b.prim(Prim::Le, &[made, k]);",
    ),
    in_ad(
        "ad: loops out of branches go by the other branch",
        "ad/src/acc/lifted/unbranch.rs",
        "args[0] = b.prim(Prim::Select, &[self.cond, then_, else_]);",
        "args[0] = b.prim(Prim::Select, &[self.cond, else_, then_]);",
    ),
    in_ad(
        "ad: columns that depend on each other stay together",
        "ad/src/acc/coupled/groups.rs",
        "leaders.iter_mut().filter(|l| **l == x || **l == y)",
        "leaders.iter_mut().filter(|l| **l == x && **l == y)",
    ),
    in_ad(
        "ad: adjoints of groups are in the order of columns",
        "ad/src/acc/coupled.rs",
        "adjoints.sort_by_key(|(column, _)| *column);",
        "adjoints.sort_by_key(|(column, _)| std::cmp::Reverse(*column));",
    ),
    in_ad(
        "ad: scans to the left in order give their operands the wrong way round",
        "ad/src/acc/in_order.rs",
        "Direction::Left => [state, elements].concat(),",
        "Direction::Left => [elements, state].concat(),",
    ),
    in_ad(
        "ad: loops of functions of one element carry one tangent",
        "ad/src/exp/roots.rs",
        "roots.len() < most_inputs(block, activity)",
        "roots.is_empty()",
    ),
    in_ad(
        "ad: what branches read is nothing that a function is of",
        "ad/src/exp/roots.rs",
        "(!has_others &&",
        "(!has_others | true &&",
    ),
    in_ad(
        "ad: each scalar that a function is of has its own tangents",
        "ad/src/exp/roots.rs",
        "tangents.iter().skip(direction)",
        "tangents.iter().skip(0)",
    ),
    in_ad(
        "ad: entries that are read after an update are the new ones",
        "ad/src/acc/lifted/entries.rs",
        "&self.entries[n].updates[..updates]",
        "&self.entries[n].updates[..updates * 0]",
    ),
    in_ad(
        "ad: positions of entries are within the array",
        "ad/src/acc/lifted/entries.rs",
        "self.b.prim(Prim::Min, &[at, last])",
        "self.b.prim(Prim::Max, &[at, last])",
    ),
    in_ad(
        "ad: entries out of range are not replaced",
        "ad/src/acc/lifted/entries.rs",
        "f.prim(Prim::Lt, &[at, end])",
        "f.prim(Prim::Le, &[at, end])",
    ),
    in_ad(
        "ad: elements that are done replace no entry",
        "ad/src/acc/lifted.rs",
        "same.extend([b.constant(-1), b.small(array.ty, 0)]);",
        "same.extend([b.constant(0), b.small(array.ty, 0)]);",
    ),
    in_ad(
        "ad: entries have one number each",
        "ad/src/exp/entries.rs",
        "if *number.get_or_insert(k) != k {",
        "if *number.get_or_insert(k) > k + 1 {",
    ),
    Mutant {
        name: "explain: loops in loops read once",
        file: "explain/src/traffic.rs",
        find: "add_trips(region, inner, &trips, extents, found);",
        replace: "add_trips(region, inner, runs, extents, found);",
        package: "cotangent-explain",
    },
    Mutant {
        name: "explain: trips of loops in loops",
        file: "explain/src/flops.rs",
        find: "loops = loops.plus(&trip.times(&extents.trips(body, of)));",
        replace: "loops = loops.plus(&trip);",
        package: "cotangent-explain",
    },
];
