//! What is in scope: a stack, to be asked by distance from its top or by label.

use std::collections::HashMap;

/// The variables in scope, innermost last, and what is known about each.
#[derive(Debug)]
pub struct Scope<T> {
    bound: Vec<(Option<u32>, T)>,
    levels: HashMap<u32, usize>,
}

impl<T> Default for Scope<T> {
    fn default() -> Self {
        Self {
            bound: vec![],
            levels: HashMap::new(),
        }
    }
}

impl<T> Scope<T> {
    /// The number of variables in scope.
    pub fn depth(&self) -> usize {
        self.bound.len()
    }

    /// Enters a variable.
    pub fn bind(&mut self, label: Option<u32>, value: T) {
        if let Some(label) = label {
            self.levels.insert(label, self.bound.len());
        }
        self.bound.push((label, value));
    }

    /// Forgets all variables but the outermost `depth`.
    pub fn leave(&mut self, depth: usize) {
        while self.bound.len() > depth {
            let label = self.bound.pop().and_then(|(label, _)| label);
            if let Some(label) = label {
                self.levels.remove(&label);
            }
        }
    }

    /// The number of variables bound before the one with that label.
    pub fn level(&self, label: u32) -> Option<usize> {
        self.levels.get(&label).copied()
    }

    /// The variable with that label.
    pub fn labelled(&self, label: u32) -> Option<&T> {
        self.level(label).map(|level| &self.bound[level].1)
    }

    /// The variable at that distance from the innermost.
    pub fn at_index(&self, index: u32) -> Option<&T> {
        let from_bottom = self.bound.len().checked_sub(index as usize + 1)?;
        Some(&self.bound[from_bottom].1)
    }
}
