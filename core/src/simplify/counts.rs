//! How often each rule fired.

use std::collections::BTreeMap;
use std::fmt;

/// Names of rules and how often each fired, ordered by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleCounts(BTreeMap<&'static str, u64>);

impl RuleCounts {
    /// Counts one more firing of `rule`.
    pub fn fire(&mut self, rule: &'static str) {
        *self.0.entry(rule).or_insert(0) += 1;
    }

    /// How often `rule` fired.
    pub fn get(&self, rule: &str) -> u64 {
        self.0.get(rule).copied().unwrap_or(0)
    }

    /// How often any rule fired.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The rules that fired, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(&rule, &count)| (rule, count))
    }

    /// Adds the counts of another run.
    pub fn merge(&mut self, other: &RuleCounts) {
        for (rule, count) in other.iter() {
            *self.0.entry(rule).or_insert(0) += count;
        }
    }
}

impl fmt::Display for RuleCounts {
    /// One line per rule: its name, then its count.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.keys().map(|rule| rule.len()).max().unwrap_or(0);
        for (rule, count) in &self.0 {
            writeln!(f, "{rule:width$} {count}")?;
        }
        Ok(())
    }
}
