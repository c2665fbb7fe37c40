//! Bugs that were found, so that they stay away.

mod cut_off_slopes;
mod empty_scans;
mod long_folds;
