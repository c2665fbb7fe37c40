//! Tests of the whole system, in one binary.

mod adbench;
mod data;
mod generated;
