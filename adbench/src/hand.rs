//! Hand tracking: how far points that were measured are from a posed hand, and the Jacobian of that.
//!
//! The layout is that of ADBench's files: see [`input`] for it and [`mod@reference`] for the model. Appendix B of paper 003 has
//! the task.

pub mod input;
pub mod model;
pub mod reference;
#[cfg(test)]
mod tests;

pub use input::HandInput;

/// The parameters of a pose: a rotation, a translation, and four angles of each finger.
pub const THETA: usize = 26;

/// The bones of a hand: the wrist, four of each finger, the forearm.
pub const BONES: usize = 22;

/// Which parameter, if any, is the angle of a bone about the first and the third axis; about the second one it does not turn.
///
/// The first three bones of a finger bend, and the first of them turns aside, too.
pub fn angles(bone: usize) -> [Option<usize>; 2] {
    let is_of_finger = (1..BONES - 1).contains(&bone);
    let (finger, joint) = (bone.saturating_sub(1) / 4, bone.saturating_sub(1) % 4);
    let first = 6 + 4 * finger;
    match (is_of_finger, joint) {
        (false, _) | (true, 0) => [None; 2],
        (true, 1) => [Some(first), Some(first + 1)],
        (true, joint) => [Some(first + joint), None],
    }
}
