//! Where the derivative of a loop gets the states of its trips.

/// How the derivative of a loop in reverse mode, which goes back through the trips, gets the states before them. It changes no
/// result: only the time and the memory of derivatives. Forward mode and loops that are not differentiated have no use for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum States<C> {
    /// The loop keeps all that are needed.
    #[default]
    Stored,
    /// The loop keeps none; the derivative keeps at most so many at a time, and makes the others again from these. Of a loop of one
    /// trip, which is there to be made again, nothing is taken out before AD. Gone after AD.
    Checkpoints(u32),
    /// The loop keeps none but the last; the derivative goes back from there by this function, which is given the number of a trip
    /// and the state after it, and makes that before it. Gone after AD.
    Inverse(C),
    /// The loop makes one trip. Nothing is taken out of it: it is a derivative that computes once more what it needs, instead of having
    /// it kept until then.
    Closed,
}

impl<C> States<C> {
    /// The function that goes back by a trip, if there is one.
    pub const fn inverse(&self) -> Option<&C> {
        match self {
            Self::Inverse(inverse) => Some(inverse),
            Self::Stored | Self::Checkpoints(_) | Self::Closed => None,
        }
    }

    /// The same, to be rewritten.
    pub const fn inverse_mut(&mut self) -> Option<&mut C> {
        match self {
            Self::Inverse(inverse) => Some(inverse),
            Self::Stored | Self::Checkpoints(_) | Self::Closed => None,
        }
    }

    /// The same with the function in another form.
    pub fn map<D>(&self, f: impl FnOnce(&C) -> D) -> States<D> {
        match self {
            Self::Stored => States::Stored,
            Self::Checkpoints(slots) => States::Checkpoints(*slots),
            Self::Inverse(inverse) => States::Inverse(f(inverse)),
            Self::Closed => States::Closed,
        }
    }
}
