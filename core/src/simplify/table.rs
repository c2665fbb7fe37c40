//! A map whose entries live as long as the block that made them.

use std::collections::HashMap;
use std::hash::Hash;

/// What is available at a point of a program: of the block itself and of those around it.
#[derive(Debug)]
pub struct ScopedTable<K, V> {
    entries: HashMap<K, V>,
    order: Vec<K>,
}

impl<K, V> Default for ScopedTable<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            order: vec![],
        }
    }
}

impl<K: Clone + Eq + Hash, V> ScopedTable<K, V> {
    /// The value entered for `key`.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    /// Enters a value for a key that has none.
    pub fn insert(&mut self, key: K, value: V) {
        self.order.push(key.clone());
        self.entries.insert(key, value);
    }

    /// The state to come back to with [`leave`](Self::leave).
    pub fn enter(&self) -> usize {
        self.order.len()
    }

    /// Forgets what was entered since `mark` was taken.
    pub fn leave(&mut self, mark: usize) {
        for key in self.order.drain(mark..) {
            self.entries.remove(&key);
        }
    }
}
