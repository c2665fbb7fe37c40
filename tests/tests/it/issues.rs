//! Bugs that were found, so that they stay away.

mod empty_scans;
mod long_folds;
