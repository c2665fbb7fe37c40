//! Arrays where a backend computes: for programs that run again and again on what they made.

use crate::error::Error;
use crate::program::{Program, columns, of_one_shape};
use cotangent_core::backend::{Resident, RunError, RunMeasures};
use cotangent_core::surface::Arrays;
use std::fmt;
use std::marker::PhantomData;

/// Arrays `A` in the memory of a backend `B`: on the device, if that is a GPU.
///
/// They get there by [`put`](Self::put), or as what [`Program::run_there`] results in, and come back by
/// [`get`](Self::get). Tuples of them are made by `Placed::from`, and taken apart by `into_parts`, without copying
/// anything. Clones share the memory.
///
/// ```
/// use cotangent::prelude::*;
/// use cotangent::{Cpu, Placed, compile};
///
/// // Gradient descent on |x - c|²: the state stays where it is, from step to step.
/// let step = compile(|x: Acc<Ix1, f32>, c: Acc<Ix1, f32>| {
///     let loss = move |x: Acc<Ix1, f32>| x.zip_with(c, |x, c| (x - c) * (x - c)).sum();
///     x.zip_with(gradient_a(loss, x), |x, dx| x - 0.25 * dx)
/// })?;
/// let device = Cpu::default(); // Or `Gpu::open(None)?`.
/// let c = Placed::put(&device, Array::from_vec([2], vec![3.0, -1.0])?)?;
/// let mut x = Placed::put(&device, Array::from_vec([2], vec![0.0, 0.0])?)?;
/// for _ in 0..40 {
///     x = step.run_there(&device, &Placed::from((x, c.clone())))?;
/// }
/// assert_eq!(x.get(&device)?.to_vec(), [3.0, -1.0]);
/// # Ok::<(), cotangent::Error>(())
/// ```
pub struct Placed<A, B: Resident> {
    columns: Vec<B::Array>,
    types: PhantomData<fn() -> A>,
}

impl<A: Arrays, B: Resident> Placed<A, B> {
    fn of(columns: Vec<B::Array>) -> Self {
        Self {
            columns,
            types: PhantomData,
        }
    }

    /// Brings arrays there.
    ///
    /// # Errors
    /// Where the device lacks the memory or a type.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::{Cpu, Placed, compile};
    /// let cpu = Cpu::default();
    /// let x = Placed::<Acc<Ix1, f64>, _>::put(&cpu, Array::vector(vec![1.0, 2.0])?)?;
    /// assert_eq!(x.get(&cpu)?.to_vec(), [1.0, 2.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn put(backend: &B, arrays: A::Host) -> Result<Self, Error> {
        let columns = columns::<A>(arrays);
        let columns = columns.iter().map(|column| backend.put(column));
        Ok(Self::of(columns.collect::<Result<_, _>>()?))
    }

    /// Brings the arrays to the host, once all that makes them is done.
    ///
    /// # Errors
    /// Where they are of another device, or the device fails.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::{Cpu, Placed, compile};
    /// let (cpu, twice) = (Cpu::default(), compile(|x: Acc<Ix1, f64>| x.map(|x| 2.0 * x))?);
    /// let x = Placed::put(&cpu, Array::vector(vec![1.0, 2.0])?)?;
    /// let y = twice.run_there(&cpu, &twice.run_there(&cpu, &x)?)?;
    /// assert_eq!(y.get(&cpu)?.to_vec(), [4.0, 8.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn get(&self, backend: &B) -> Result<A::Host, Error> {
        let columns = backend.get(&self.columns)?;
        let wrong = || RunError::Bug("a backend gave arrays of another type".into());
        Ok(A::to_host(&mut columns.into_iter()).ok_or_else(wrong)?)
    }
}

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// Runs the program on arrays that are where the backend computes, and leaves the results there. Where nothing in
    /// the program can fail this may return before the device is done: what asks for the results waits.
    ///
    /// # Errors
    /// As [`run`](Self::run), and where an array is of another device.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::{Cpu, Placed, compile};
    /// let (cpu, twice) = (Cpu::default(), compile(|x: Acc<Ix1, f64>| x.map(|x| 2.0 * x))?);
    /// let mut x = Placed::put(&cpu, Array::vector(vec![1.0, 2.0])?)?;
    /// for _ in 0..10 {
    ///     x = twice.run_there(&cpu, &x)?;
    /// }
    /// assert_eq!(x.get(&cpu)?.to_vec(), [1024.0, 2048.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run_there<B: Resident>(
        &self,
        backend: &B,
        inputs: &Placed<In, B>,
    ) -> Result<Placed<Out, B>, Error> {
        let (results, _) = self.run_there_measured(backend, inputs)?;
        Ok(results)
    }

    /// As [`run_there`](Self::run_there), and says what that took.
    ///
    /// # Errors
    /// As [`run_there`](Self::run_there).
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::{Cpu, Placed, compile};
    /// let (cpu, twice) = (Cpu::default(), compile(|x: Acc<Ix1, f64>| x.map(|x| 2.0 * x))?);
    /// let x = Placed::put(&cpu, Array::vector(vec![1.0, 2.0])?)?;
    /// let (y, measures) = twice.run_there_measured(&cpu, &x)?;
    /// assert_eq!((y.get(&cpu)?.to_vec(), measures.passes), (vec![2.0, 4.0], 1));
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run_there_measured<B: Resident>(
        &self,
        backend: &B,
        inputs: &Placed<In, B>,
    ) -> Result<(Placed<Out, B>, RunMeasures), Error> {
        let shapes = inputs.columns.iter().map(B::shape_of);
        let executable = self.executable_for(backend, shapes)?;
        let (results, measures) = backend.run_there(&executable, &inputs.columns)?;
        of_one_shape::<Out>(results.iter().map(B::shape_of))?;
        Ok((Placed::of(results), measures))
    }
}

macro_rules! tuples {
    ($(($($t:ident $v:ident),*))*) => {$(
        impl<$($t: Arrays,)* Bk: Resident> From<($(Placed<$t, Bk>,)*)> for Placed<($($t,)*), Bk> {
            fn from(($($v,)*): ($(Placed<$t, Bk>,)*)) -> Self {
                let mut columns = vec![];
                $(columns.extend($v.columns);)*
                Self::of(columns)
            }
        }

        impl<$($t: Arrays,)* Bk: Resident> Placed<($($t,)*), Bk> {
            /// The arrays, each by itself.
            ///
            /// ```
            /// use cotangent::prelude::*;
            /// use cotangent::{Cpu, Placed};
            /// type Both = (Acc<Ix1, f64>, Acc<Ix0, i32>);
            /// let cpu = Cpu::default();
            /// let both = (Array::vector(vec![1.0, 2.0])?, Array::scalar(3));
            /// let (x, n) = Placed::<Both, _>::put(&cpu, both)?.into_parts();
            /// assert_eq!((x.get(&cpu)?.to_vec(), n.get(&cpu)?.item()), (vec![1.0, 2.0], 3));
            /// # Ok::<(), cotangent::Error>(())
            /// ```
            pub fn into_parts(self) -> ($(Placed<$t, Bk>,)*) {
                let mut columns = self.columns.into_iter();
                ($(Placed::<$t, Bk>::of(columns.by_ref().take(width::<$t>()).collect()),)*)
            }
        }
    )*};
}

tuples! {
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, F f)
    (A a, B b, C c, D d, F f, G g)
}

/// The number of columns.
fn width<A: Arrays>() -> usize {
    let mut counts = vec![];
    A::column_counts(&mut counts);
    counts.into_iter().sum()
}

impl<A, B: Resident> Clone for Placed<A, B> {
    fn clone(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            types: PhantomData,
        }
    }
}

impl<A, B: Resident> fmt::Debug for Placed<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placed({})", std::any::type_name::<A>())
    }
}
