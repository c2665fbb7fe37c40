//! Room for recursion over deeply nested programs.
//!
//! Blocks are flat, so that depth of expressions costs no stack; nesting of *conditionals* (and, later,
//! loops) does recurse, also when such a term is dropped. Whoever compiles or interprets a program
//! therefore runs on a thread with a large stack, of which the system commits only what is touched.

use crate::host::has_room;
use std::panic::resume_unwind;
use std::thread;

/// Stack sizes to try, in bytes: the first is enough for conditionals nested 100,000 deep.
const STACK_SIZES: [usize; 3] = [4 << 30, 512 << 20, 64 << 20];

/// Runs `work` on a thread with a large stack and gives its result; a panic in `work` goes on here.
///
/// Where no thread can be had, `work` runs on the caller's stack.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    // A stack that takes the last of the address space leaves none for what runs on it.
    for size in STACK_SIZES.into_iter().filter(|&size| has_room(size)) {
        if try_on_stack(size, &mut work, &mut result) {
            break;
        }
    }
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the work either ran or is still here"),
    }
}

/// Whether a thread with a stack of that size could be had.
fn try_on_stack<T: Send, F: FnOnce() -> T + Send>(
    size: usize,
    work: &mut Option<F>,
    result: &mut Option<T>,
) -> bool {
    thread::scope(|scope| {
        let run = || *result = work.take().map(|work| work());
        match thread::Builder::new()
            .stack_size(size)
            .spawn_scoped(scope, run)
        {
            Ok(handle) => handle
                .join()
                .map(|()| true)
                .unwrap_or_else(|e| resume_unwind(e)),
            Err(_) => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::with_deep_stack;

    fn depth(n: u64) -> u64 {
        if n == 0 {
            0
        } else {
            1 + std::hint::black_box(depth(n - 1))
        }
    }

    #[test]
    fn survives_deep_recursion() {
        assert_eq!(with_deep_stack(|| depth(1_000_000)), 1_000_000);
    }
}
