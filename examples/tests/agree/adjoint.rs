//! `adjoint`.

use super::devices::everywhere;
use cotangent::prelude::Checkpoints;
use cotangent_examples::adjoint::{self, TOLERANCE};

#[test]
fn gradients_agree_with_any_number_of_states_kept() {
    let kept = [
        Checkpoints::StoreAll,
        Checkpoints::Slots(3),
        Checkpoints::Recompute,
    ];
    for checkpoints in kept {
        let program = adjoint::program(checkpoints).unwrap();
        for (cells, steps) in [(10, 20), (1, 5), (2, 1), (7, 0), (3, -4)] {
            let task = adjoint::task(cells, steps);
            let expected = adjoint::reference(&task);
            everywhere(
                |device| adjoint::run(&program, device, &task),
                |found| {
                    found.by_cells.len() == cells
                        && adjoint::difference(found, &expected) <= TOLERANCE
                },
            );
        }
    }
}
