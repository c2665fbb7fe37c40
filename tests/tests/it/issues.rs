//! Bugs that were found, so that they stay away.

mod long_folds;
