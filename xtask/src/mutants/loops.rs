//! Bugs in loops.

use super::list::Mutant;

/// These bugs, in the order of the compiler's passes.
pub const LOOPS: &[Mutant] = &[
    Mutant {
        name: "core: loops that name what is around them",
        file: "core/src/schedule/check/body.rs",
        find: "closed: true,",
        replace: "closed: self.closed,",
        package: "cotangent-core",
    },
    Mutant {
        name: "core: instructions after a loop",
        file: "core/src/schedule/body/walk.rs",
        find: "self.around.push((self.body, self.at));",
        replace: "self.around.push((self.body, usize::MAX));",
        package: "cotangent-core",
    },
    Mutant {
        name: "cpu: lanes that are done",
        file: "backend-cpu/src/code/looping.rs",
        find: "self.prim(Prim::Select, vec![on, next, before])",
        replace: "self.prim(Prim::Select, vec![on, next, next])",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: loads of lanes that are done",
        file: "backend-cpu/src/code/looping.rs",
        find: "Op::Load(_) => Some(guarded(body, inst, new, on)),",
        replace: "Op::Load(_) => None,",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: values carried while they are read",
        file: "backend-cpu/src/machine/looping.rs",
        find: "let (from, to) = (machine.output(first + i), states.next(i));",
        replace: "let (from, to) = (machine.output(first + i), states.column(i, states.half));",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: the lane that failed in a loop",
        file: "backend-cpu/src/machine/looping.rs",
        find: "let (lane, trip) = (failure.point / trips, failure.point % trips);",
        replace: "let (lane, trip) = (failure.point % trips, failure.point / trips);",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "shaders: loops in loops",
        file: "shaders/src/body/looping.rs",
        find: "self.depth += 1;",
        replace: "self.depth += 0;",
        package: "cotangent-backend-gpu",
    },
];
