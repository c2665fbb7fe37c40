//! Replacing variables by others.
//!
//! Labels are unique, so no binder can capture a name.

use cotangent_core::term::{ArrId, ExpId};
use std::collections::HashMap;
use std::hash::Hash;

/// What each array is replaced by.
pub(crate) type ArrMap = HashMap<ArrId, ArrId>;

/// What each scalar is replaced by.
pub(crate) type ExpMap = HashMap<ExpId, ExpId>;

/// The new name of each variable: its own, where the map has none.
pub(crate) fn renaming<T: Copy + Eq + Hash>(map: &HashMap<T, T>) -> impl Fn(T) -> T {
    |name| map.get(&name).copied().unwrap_or(name)
}
