//! Rewrites one by one, on all operands that matter.
