//! Bugs in machine code.

use super::list::Mutant;

/// These bugs, in the order in which code is made.
pub const NATIVE: &[Mutant] = &[
    Mutant {
        name: "native: loads go in front of what their index comes from",
        file: "backend-cpu/src/native/group.rs",
        find: "|| self.scalars(instr).into_iter().any(waits)",
        replace: "|| (false && self.scalars(instr).into_iter().any(waits))",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: what is read outside of a group stays in registers",
        file: "backend-cpu/src/native/group.rs",
        find: "self.readers.counts[slot as usize] > inside",
        replace: "self.readers.counts[slot as usize] > inside + 1",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: equal extrema are the second",
        file: "backend-cpu/src/native/lower/number.rs",
        find: "let extremum = self.two(family, ty, y, Arg::Read(x));",
        replace: "let extremum = self.two(family, ty, x, Arg::Read(y));",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: halves round to even",
        file: "backend-cpu/src/native/lower/number.rs",
        find: "self.rounded(ty, sum, TRUNC)",
        replace: "self.rounded(ty, x, TRUNC - 3)",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: a value that is put aside is lost",
        file: "backend-cpu/src/native/allocate.rs",
        find: "self.aside[victim.index()] = Some(self.spills);",
        replace: "self.aside[victim.index()] = Some(self.spills / 2);",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: the last vector begins after the last lane",
        file: "backend-cpu/src/native/encode.rs",
        find: "self.registers(Opcode::Cmova_r64_rm64, &[lane, end])?;",
        replace: "",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: the lanes at the end of a column are those at its start",
        file: "backend-cpu/src/machine/bent.rs",
        find: "row.offset(self.start + lane as i64)",
        replace: "row.offset(self.start)",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "native: all lanes at the ends of a kept index are the first",
        file: "backend-cpu/src/machine/bent.rs",
        find: "self.index_column(positions, lane + 1)[lane]",
        replace: "self.index_column(positions, lane + 1)[0]",
        package: "cotangent-tests",
    },
    Mutant {
        name: "cpu: runs of a scan go on before their end",
        file: "backend-cpu/src/lanes/running.rs",
        find: "joined::<O, LEFT>(*carry, states[SIDE - 1])",
        replace: "joined::<O, LEFT>(*carry, states[SIDE - 2])",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: chunks of a scan are combined with the one before alone",
        file: "backend-cpu/src/kernel/scan/running.rs",
        find: "true => (fns.join)(1, outer, carry, carry, carry),",
        replace: "true => lanes::copy(fns.state, 1, carry, outer),",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: nothing is sent to the first element where some points send nothing",
        file: "backend-cpu/src/kernel/scatter/updates.rs",
        find: "count += usize::from(target >= 0);",
        replace: "count += usize::from(target > 0);",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: what does not travel adds nothing",
        file: "backend-cpu/src/machine/travel.rs",
        find: "let mut base = fixed.base();",
        replace: "let mut base = fixed.base().min(0);",
        package: "cotangent-backend-cpu",
    },
    Mutant {
        name: "cpu: the last item of a part is claimed by nobody",
        file: "backend-cpu/src/kernel/share.rs",
        find: "(next < self.end).then(",
        replace: "(next + 1 < self.end).then(",
        package: "cotangent-backend-cpu",
    },
];
