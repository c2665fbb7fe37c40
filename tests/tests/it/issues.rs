//! Bugs that were found, so that they stay away.

mod cut_off_partials;
mod deep_nesting;
mod empty_scans;
mod long_folds;
mod second_derivatives;
