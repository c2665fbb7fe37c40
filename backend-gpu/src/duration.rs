//! How long a device is busy with something, roughly: drivers stop whatever keeps a device for some seconds, and screens
//! stand still meanwhile. So what is recorded is submitted when it would take [`SUBMISSION_SECONDS`], and a dispatch that would
//! take longer by itself is done in pieces of its points.
//!
//! Estimates are a kernel's operations and bytes at constant rates, on the slow side of each kind of device: what is
//! submitted too early costs some fifty microseconds, and a device that turns out to be much faster is believed to be so (`pace.rs`).

use crate::device::{DeviceKind, Gpu};
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::prim::{Effort, Prim};
use cotangent_core::schedule::{Body, Kernel, KernelKind, Known, Loop, Op};
use cotangent_core::types::ScalarType;
use cotangent_shaders::bytes_of;

/// The estimated seconds of a submission, unless one is asked for that ends earlier or later. The shortest limit
/// of drivers is that of Windows: two seconds.
pub(crate) const SUBMISSION_SECONDS: f64 = 0.5;

/// A transcendental function, in additions.
const TRANSCENDENTAL: f64 = 32.0;
/// A division, a root, or a change of types, in additions.
const DIVISION: f64 = 8.0;
/// An operation in `f64`, in those in `f32`: most devices have few units for it.
const WIDE: f64 = 32.0;
/// Of what a load brings in, a kernel that reads here and there uses so small a part.
const SCATTERED: f64 = 4.0;
/// A factor of a contraction is computed once for so many terms at least: the side of a small tile.
const REUSE: f64 = 16.0;
/// The trips of a loop, at most, and of one of which the number is not known before it runs.
const TRIPS: f64 = 1e4;

/// What a dispatch costs the host and the device besides its work: writing it down, starting it, and waiting for what came
/// before it.
pub(crate) const SECONDS_OF_DISPATCH: f64 = 20e-6;
/// What a barrier in a workgroup costs.
const SECONDS_OF_BARRIER: f64 = 1e-6;
/// The operations of an invocation in a second where it is by itself on its processor, or nearly: it waits for the result of
/// each before the next, some ten cycles, and for elements some more.
const LONE_OPERATIONS: f64 = 100e6;

/// What a kind of device does in a second, at the least.
struct Rates {
    operations: f64,
    bytes: f64,
}

impl Rates {
    /// A tenth of what devices of recent years reach by kernels that are not tuned for them.
    fn of(kind: DeviceKind) -> Self {
        match kind {
            DeviceKind::Discrete => Self {
                operations: 100e9,
                bytes: 25e9,
            },
            DeviceKind::Integrated
            | DeviceKind::Virtual
            | DeviceKind::Other
            | DeviceKind::Software => Self {
                operations: 20e9,
                bytes: 5e9,
            },
        }
    }
}

impl Gpu {
    /// The estimated seconds that a kernel takes for each position of its spaces.
    pub(crate) fn seconds_per_position(&self, kernel: &Kernel) -> f64 {
        let (operations, bytes) = work(kernel);
        let rates = Rates::of(self.info().kind);
        operations / rates.operations + bytes / rates.bytes
    }
}

/// The estimated seconds of a kernel that one workgroup does, of which an invocation goes through so many positions.
pub(crate) fn seconds_alone(kernel: &Kernel, positions: f64, known: Known) -> f64 {
    let code = [kernel.body()].into_iter().chain(kernel.operator());
    let operations: f64 = code.map(|body| operations_where(body, known)).sum();
    SECONDS_OF_BARRIER + positions * operations / LONE_OPERATIONS
}

/// Operations and bytes of a kernel at each position of its spaces.
fn work(kernel: &Kernel) -> (f64, f64) {
    let (operations, bytes) = (operations(kernel.body()), bytes(kernel));
    match &kernel.kind {
        // A sort is many maps before it comes here, and a fold of segments a scan.
        KernelKind::Map { .. } | KernelKind::Segments { .. } | KernelKind::Sort { .. } => {
            (operations, bytes)
        }
        KernelKind::Reduce { operator, .. } => {
            (operations + self::operations(&operator.body), bytes)
        }
        // Elements are gone through twice.
        KernelKind::Scan { operator, .. } => (
            2.0 * (operations + self::operations(&operator.body)),
            2.0 * bytes,
        ),
        KernelKind::Contract { output, .. } => {
            let product = 2.0 * weight(kernel.body().type_of(output.value));
            (product + operations / REUSE, bytes / REUSE)
        }
        // Points are sorted, digit by digit.
        KernelKind::Scatter { .. } => (operations + DIVISION * REUSE, bytes * SCATTERED),
    }
}

fn operations(body: &Body) -> f64 {
    operations_where(body, &|_| None)
}

/// The same where some symbols are known.
fn operations_where(body: &Body, known: Known) -> f64 {
    let costs = body.iter().map(|(_, inst)| match &inst.op {
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Out(..) => 0.0,
        Op::Loop(of) => trips(body, of, known) * operations(&of.region.body),
        // Positions and bounds.
        Op::Load(_) => DIVISION,
        Op::Prim(prim, operands) => {
            let operand = operands.last().map_or(inst.ty, |&v| body.type_of(v));
            additions(*prim) * weight(operand).max(weight(inst.ty))
        }
    });
    costs.sum()
}

fn trips(body: &Body, of: &Loop, known: Known) -> f64 {
    let trips = body.known_value(of.trips, known).and_then(Const::as_i32);
    trips.map_or(TRIPS, |trips| f64::from(trips.max(0)).min(TRIPS))
}

fn weight(ty: ScalarType) -> f64 {
    match ty {
        ScalarType::I64 | ScalarType::U64 => 4.0,
        ScalarType::F64 => WIDE,
        ScalarType::Bool | integer_type!() | ScalarType::F16 | ScalarType::F32 => 1.0,
    }
}

/// A primitive, in additions.
fn additions(prim: Prim) -> f64 {
    match prim.effort() {
        Effort::Move | Effort::Simple => 1.0,
        Effort::Division | Effort::Conversion => DIVISION,
        Effort::Elementary | Effort::Composed => TRANSCENDENTAL,
    }
}

/// What is read and written, as if nothing stayed in a cache.
fn bytes(kernel: &Kernel) -> f64 {
    let body = kernel.body();
    let loads = body.walk().map(|(_, inst)| inst);
    let loads = loads.filter(|inst| inst.op.as_load().is_some());
    let loads: f64 = loads.map(|inst| SCATTERED * bytes_of(inst.ty) as f64).sum();
    let stores = kernel
        .outputs()
        .iter()
        .map(|output| bytes_of(body.type_of(output.value)) as f64);
    loads + stores.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::loc::Loc;
    use cotangent_core::schedule::{ArrayId, Output, SymbolId, ValueId};

    fn map(prims: &[Prim], ty: ScalarType) -> Kernel {
        let mut body = Body::default();
        let mut value = body.push(Op::Symbol(SymbolId(0)), ty);
        for &prim in prims {
            value = body.push(Op::Prim(prim, vec![value; prim.arity()]), ty);
        }
        let array = ArrayId(0);
        Kernel {
            name: "map",
            loc: Loc::UNKNOWN,
            fused: vec![],
            space: vec![],
            kind: KernelKind::Map {
                body,
                outputs: vec![Output {
                    value: ValueId(value.0),
                    array,
                }],
            },
        }
    }

    #[test]
    fn work_is_what_operations_and_bytes_add_up_to() {
        assert_eq!(work(&map(&[], ScalarType::F32)), (0.0, 4.0));
        assert_eq!(
            work(&map(&[Prim::Add, Prim::Exp], ScalarType::F32)),
            (1.0 + TRANSCENDENTAL, 4.0)
        );
        assert_eq!(work(&map(&[Prim::Add], ScalarType::F64)), (WIDE, 8.0));
    }

    #[test]
    fn rates_are_no_faster_than_any_device_of_the_kind() {
        let kinds = [
            DeviceKind::Discrete,
            DeviceKind::Integrated,
            DeviceKind::Software,
        ];
        let rates = kinds.map(Rates::of);
        assert!(
            rates
                .iter()
                .all(|r| r.operations <= 100e9 && r.bytes <= 25e9)
        );
        assert!(rates[0].operations > rates[1].operations);
    }
}
