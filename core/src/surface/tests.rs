//! What closures build, what they may say, and what happens to wrong ones.

mod inference;
