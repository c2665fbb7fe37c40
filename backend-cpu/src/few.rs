//! Short lists that are made again and again: the columns of an operator's components, the coordinates of an index.
//!
//! Nobody asks the system for memory where there are few elements, as there are nearly always. What is done for each block
//! must not: where address space is scarce, the allocator has no arena for a thread, and maps memory for each list.

use smallvec::SmallVec;

/// A list of mostly no more than eight elements.
pub(crate) type Few<T> = SmallVec<[T; 8]>;
