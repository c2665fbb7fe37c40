//! Tests of the whole system: the corpus of programs that every engine is tried on.

pub mod corpus;
