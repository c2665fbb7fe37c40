//! Programs of four papers on automatic differentiation, which they measure or show off with.
//!
//! [`zygote`] has those of Table 2 of paper 002 (Zygote: scalar and array code of machine learning), [`reversible`] those of
//! papers 000 and 001 (NiLang: what a reversible language differentiates well), [`factors`] one of paper 004 (derivatives in forward mode by an algebra of unit vectors). Each is a function of this language; the tests
//! compare its derivatives, the benchmark `papers` their time.

pub mod factors;
pub mod reversible;
pub mod zygote;
