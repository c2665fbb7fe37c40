//! Moves: operations that give the elements of one array other places, and compute none.
//!
//! Passes ask a [`Move`] what they need to know of it, and have one arm for all moves. What is answered here is answered
//! once, for terms and for the surface graph alike, which differ in what a function is. A pass whose code depends on what a
//! move *means*, as that which writes down where an element comes from, matches on all of them.

use super::acc::Axis;

/// A move of the elements of one array. `Code` is a function without parameters, `Index` one that is given an index of the
/// result, one `i32` per dimension, outermost first; in terms both are a [`Fun`](super::Fun).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move<Code, Index = Code> {
    /// The same elements in row-major order under another shape. Fails where the numbers of elements differ.
    Reshape {
        /// The new extents.
        shape: Code,
    },
    /// The array as it is. Fails where its extents are not these.
    Expect {
        /// The extents.
        shape: Code,
    },
    /// Repeats an array along new dimensions. `axes` describes the result's dimensions: `All` takes the
    /// argument's dimensions in order, `Fixed` adds one, of the extent that the corresponding result of
    /// `extents` gives.
    Replicate {
        /// The result's dimensions.
        axes: Vec<Axis>,
        /// One `i32` per `Fixed`.
        extents: Code,
    },
    /// The inverse: `axes` describes the argument's dimensions, of which `Fixed` ones are cut at the position
    /// that `indices` gives. Fails where a position is out of range, even if the result is empty.
    Slice {
        /// The argument's dimensions.
        axes: Vec<Axis>,
        /// One `i32` per `Fixed`.
        indices: Code,
    },
    /// An array of the given shape, whose element at i is the argument's at `f(i)`. Fails where that is out
    /// of range.
    Backpermute {
        /// The result's extents.
        shape: Code,
        /// From the result's index to the argument's.
        f: Index,
    },
    /// An array of the same shape, whose elements are moved on along those dimensions that are `Fixed`, by the amount that
    /// `amounts` gives; what leaves at one end comes back at the other. So along a dimension of extent n and by an amount
    /// a, the element at i is the argument's at (i − a) mod n, for any `i32` a.
    Roll {
        /// The dimensions.
        axes: Vec<Axis>,
        /// One `i32` per `Fixed`.
        amounts: Code,
    },
    /// The array as it is, in memory: what reads it does not compute it, whatever that would cost.
    Stored,
}

/// A function of a move, with its name in the text of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovePart<Code, Index> {
    /// One without parameters, which runs once.
    Closed(&'static str, Code),
    /// One that is given an index of the result, and runs for each element.
    OfIndex(&'static str, Index),
}

/// By what a move may fail for a reason that its documentation names, besides its scalar code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveFails<'a, Code, Index> {
    /// By nothing.
    Never,
    /// By the shape of its result, which no array may have.
    ByShape,
    /// The same, or by its number of elements, which is not the argument's.
    BySize,
    /// By its shape, which is not the argument's.
    ByExtents,
    /// By the positions that the function gives along those dimensions of the argument that are `Fixed`.
    ByPositions(&'a [Axis], &'a Code),
    /// By the shape of its result, or by the index that the function gives for an element.
    ByElement(&'a Index),
}

/// How often a move reads an element of its argument, if its result is read once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveReads<'a, Index> {
    /// At most once.
    Once,
    /// Any number of times.
    Repeatedly,
    /// As often as this function gives its index.
    At(&'a Index),
}

/// The functions of a move, by references of either kind.
macro_rules! parts {
    ($how:expr) => {
        match $how {
            Move::Reshape { shape } => vec![MovePart::Closed("shape", shape)],
            Move::Expect { shape } => vec![MovePart::Closed("shape", shape)],
            Move::Replicate { axes: _, extents } => vec![MovePart::Closed("extents", extents)],
            Move::Slice { axes: _, indices } => vec![MovePart::Closed("indices", indices)],
            Move::Backpermute { shape, f } => {
                vec![MovePart::Closed("shape", shape), MovePart::OfIndex("f", f)]
            }
            Move::Roll { axes: _, amounts } => vec![MovePart::Closed("amounts", amounts)],
            Move::Stored => vec![],
        }
    };
}

impl<Code: Clone, Index> Move<Code, Index> {
    /// One of each, with these functions and without axes: what the parser knows them by.
    pub fn forms(code: Code, index: Index) -> Vec<Self> {
        let [shape, expected, extents, indices, amounts] = [(); 5].map(|()| code.clone());
        let axes = vec![];
        vec![
            Self::Reshape { shape },
            Self::Expect { shape: expected },
            Self::Replicate {
                axes: axes.clone(),
                extents,
            },
            Self::Slice {
                axes: axes.clone(),
                indices,
            },
            Self::Backpermute {
                shape: code,
                f: index,
            },
            Self::Roll { axes, amounts },
            Self::Stored,
        ]
    }
}

impl<Code, Index> Move<Code, Index> {
    /// The name of the construct, as users know it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reshape { .. } => "reshape",
            Self::Expect { .. } => "expect_shape",
            Self::Replicate { .. } => "replicate",
            Self::Slice { .. } => "slice",
            Self::Backpermute { .. } => "backpermute",
            Self::Roll { .. } => "roll",
            Self::Stored => "compute",
        }
    }

    /// The functions, in order of their text.
    pub fn parts(&self) -> Vec<MovePart<&Code, &Index>> {
        parts!(self)
    }

    /// The same functions, to be rewritten.
    pub fn parts_mut(&mut self) -> Vec<MovePart<&mut Code, &mut Index>> {
        parts!(self)
    }

    /// The functions without parameters.
    pub fn closed(&self) -> impl Iterator<Item = &Code> {
        self.parts().into_iter().filter_map(|part| match part {
            MovePart::Closed(_, code) => Some(code),
            MovePart::OfIndex(..) => None,
        })
    }

    /// The function that is given an index of the result, if there is one.
    pub fn of_index(&self) -> Option<&Index> {
        self.parts().into_iter().find_map(|part| match part {
            MovePart::Closed(..) => None,
            MovePart::OfIndex(_, index) => Some(index),
        })
    }

    /// What is said of dimensions, if anything is: it stands before the argument in the text of programs.
    pub fn axes(&self) -> Option<&[Axis]> {
        match self {
            Self::Replicate { axes, .. } | Self::Slice { axes, .. } | Self::Roll { axes, .. } => {
                Some(axes)
            }
            Self::Reshape { .. }
            | Self::Expect { .. }
            | Self::Backpermute { .. }
            | Self::Stored => None,
        }
    }

    /// The same, to be rewritten.
    pub fn axes_mut(&mut self) -> Option<&mut Vec<Axis>> {
        match self {
            Self::Replicate { axes, .. } | Self::Slice { axes, .. } | Self::Roll { axes, .. } => {
                Some(axes)
            }
            Self::Reshape { .. }
            | Self::Expect { .. }
            | Self::Backpermute { .. }
            | Self::Stored => None,
        }
    }

    /// The same move with other functions, made in order from these; `state` is what both ways have in common.
    pub fn try_map<State, C, I, Error>(
        &self,
        state: &mut State,
        mut code: impl FnMut(&mut State, &Code) -> Result<C, Error>,
        mut index: impl FnMut(&mut State, &Index) -> Result<I, Error>,
    ) -> Result<Move<C, I>, Error> {
        Ok(match self {
            Self::Reshape { shape } => Move::Reshape {
                shape: code(state, shape)?,
            },
            Self::Expect { shape } => Move::Expect {
                shape: code(state, shape)?,
            },
            Self::Replicate { axes, extents } => Move::Replicate {
                axes: axes.clone(),
                extents: code(state, extents)?,
            },
            Self::Slice { axes, indices } => Move::Slice {
                axes: axes.clone(),
                indices: code(state, indices)?,
            },
            Self::Backpermute { shape, f } => Move::Backpermute {
                shape: code(state, shape)?,
                f: index(state, f)?,
            },
            Self::Roll { axes, amounts } => Move::Roll {
                axes: axes.clone(),
                amounts: code(state, amounts)?,
            },
            Self::Stored => Move::Stored,
        })
    }

    /// The function that gives extents of the result, if one does.
    pub fn said(&self) -> Option<&Code> {
        match self {
            Self::Reshape { shape } | Self::Expect { shape } | Self::Backpermute { shape, .. } => {
                Some(shape)
            }
            Self::Replicate { axes: _, extents } => Some(extents),
            Self::Slice { .. } | Self::Roll { .. } | Self::Stored => None,
        }
    }

    /// Whether extents of the result are those of the argument.
    pub fn keeps_extents(&self) -> bool {
        match self {
            Self::Reshape { .. } | Self::Expect { .. } | Self::Backpermute { .. } => false,
            Self::Replicate { .. } | Self::Slice { .. } | Self::Roll { .. } | Self::Stored => true,
        }
    }

    /// The extents of the result, whatever stands for one: `said` are those that [`said`](Self::said) gives, `own` those of
    /// the argument, none where [`keeps_extents`](Self::keeps_extents) does not hold.
    pub fn extents<T: Clone>(&self, said: Vec<T>, own: &[T]) -> Vec<T> {
        match self {
            Self::Reshape { .. } | Self::Expect { .. } | Self::Backpermute { .. } => said,
            Self::Replicate { axes, extents: _ } => {
                let (mut said, mut own) = (said.into_iter(), own.iter().cloned());
                let extent = |axis: &Axis| match axis {
                    Axis::All => own.next(),
                    Axis::Fixed => said.next(),
                };
                axes.iter().filter_map(extent).collect()
            }
            Self::Slice { axes, indices: _ } => {
                let kept = axes.iter().zip(own);
                let kept = kept.filter(|(axis, _)| **axis == Axis::All);
                kept.map(|(_, extent)| extent.clone()).collect()
            }
            Self::Roll { .. } | Self::Stored => own.to_vec(),
        }
    }

    /// The number of dimensions of the result, of an argument of `own` dimensions; `said` is how many results
    /// [`said`](Self::said) has.
    pub fn rank(&self, said: usize, own: usize) -> usize {
        self.extents(vec![(); said], &vec![(); own]).len()
    }

    /// Which coordinates of an index of the result, of so many, are coordinates of the argument's index, and range over the
    /// same dimension: an index is out of range along these only where the argument's is.
    pub fn keeps_coordinates(&self, rank: usize) -> Vec<bool> {
        match self {
            Self::Reshape { .. } | Self::Backpermute { .. } => vec![false; rank],
            Self::Replicate { axes, .. } | Self::Roll { axes, .. } => {
                axes.iter().map(|&axis| axis == Axis::All).collect()
            }
            Self::Expect { .. } | Self::Slice { .. } | Self::Stored => vec![true; rank],
        }
    }

    /// By what it may fail.
    pub fn fails(&self) -> MoveFails<'_, Code, Index> {
        match self {
            Self::Reshape { .. } => MoveFails::BySize,
            Self::Expect { .. } => MoveFails::ByExtents,
            Self::Replicate { .. } => MoveFails::ByShape,
            Self::Slice { axes, indices } => MoveFails::ByPositions(axes, indices),
            Self::Backpermute { shape: _, f } => MoveFails::ByElement(f),
            Self::Roll { .. } | Self::Stored => MoveFails::Never,
        }
    }

    /// How often it reads an element of its argument.
    pub fn reads(&self) -> MoveReads<'_, Index> {
        match self {
            Self::Reshape { .. }
            | Self::Expect { .. }
            | Self::Slice { .. }
            | Self::Roll { .. }
            | Self::Stored => MoveReads::Once,
            Self::Replicate { axes, .. } => match axes.contains(&Axis::Fixed) {
                true => MoveReads::Repeatedly,
                false => MoveReads::Once,
            },
            Self::Backpermute { shape: _, f } => MoveReads::At(f),
        }
    }

    /// The dimensions of the result, where it is the argument along those that are `All` and the same all along the others.
    pub fn replicated(&self) -> Option<&[Axis]> {
        match self {
            Self::Replicate { axes, extents: _ } => Some(axes),
            Self::Reshape { .. }
            | Self::Expect { .. }
            | Self::Slice { .. }
            | Self::Backpermute { .. }
            | Self::Roll { .. }
            | Self::Stored => None,
        }
    }

    /// Whether the result has all elements of the argument in their row-major order, so that both can be one memory.
    pub fn keeps_order(&self) -> bool {
        match self {
            Self::Reshape { .. } | Self::Expect { .. } | Self::Stored => true,
            Self::Replicate { .. }
            | Self::Slice { .. }
            | Self::Backpermute { .. }
            | Self::Roll { .. } => false,
        }
    }
}
