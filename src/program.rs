//! Compiled programs.

mod debug;
mod erased;
mod sparsity;
mod typed;

pub use erased::{ErasedProgram, compile_text};
pub use typed::ColumnsError;
pub(crate) use typed::of_one_shape;

use crate::error::Error;
use crate::passes::{self, Compiled};
use cotangent_core::backend::{Backend, RunError, RunMeasures, Timed};
use cotangent_core::deep::with_deep_stack;
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::schedule::{Checked, Schedule};
use cotangent_core::surface::{AccFn, Arrays, trace};
use cotangent_core::term::{DeBruijn, ParamAxis, Program as Term};
use cotangent_core::typed::TypedProgram;
use cotangent_explain::{Explanation, Notes, explain};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A program from arrays `In` to arrays `Out`: run for any extents, shared between threads.
///
/// It is compiled for inputs whose extents are equal where operations bring them together: `x.zip_with(y, …)` for arrays of one
/// shape. The first run on inputs where they are not compiles it once more, for any extents; that form has the least extents to
/// compute, and to test against, everywhere.
///
/// Cloning is cheap; clones share the code generated for each backend.
pub struct Program<In: Arrays, Out: Arrays> {
    /// The program as it was written, with the types that it has in Rust.
    source: TypedProgram<In::Types, Out::Types>,
    inner: Arc<Inner>,
}

/// What a source was compiled to.
struct Inner {
    compiled: Option<Compiled>,
    /// The program for any extents, where this one is for equal ones; made when the first asks for it.
    general: OnceLock<Arc<Inner>>,
    /// The schedule for runs that have to do with single trips of loops.
    watched: OnceLock<Checked<Schedule>>,
    /// The code for each backend.
    executables: Mutex<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
}

/// What code depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// The type of the code.
    code: TypeId,
    /// The backend's name.
    backend: String,
    /// Whether runs have to do with single trips of loops.
    is_watched: bool,
}

impl Inner {
    fn new(compiled: Compiled) -> Arc<Self> {
        Arc::new(Self {
            compiled: Some(compiled),
            general: OnceLock::new(),
            watched: OnceLock::new(),
            executables: Mutex::default(),
        })
    }

    fn compiled(&self) -> Result<&Compiled, RunError> {
        let gone = || RunError::Bug("the program is being dropped".into());
        self.compiled.as_ref().ok_or_else(gone)
    }
}

impl Drop for Inner {
    /// Schedules may be nested deeply, and dropping them recurses.
    fn drop(&mut self) {
        let compiled = self.compiled.take();
        with_deep_stack(|| drop(compiled));
    }
}

/// A source, and what it was compiled to: for inputs whose extents are equal where they meet, or for any.
#[derive(Clone, Copy)]
struct Form<'p> {
    source: &'p Term<DeBruijn>,
    inner: &'p Inner,
}

impl<'p> Form<'p> {
    /// The form of the program for inputs of such shapes, one for each column.
    fn for_shapes<'s>(self, shapes: impl IntoIterator<Item = &'s [usize]>) -> Result<Self, Error> {
        let shapes: Vec<_> = shapes.into_iter().collect();
        let extent = |side: &ParamAxis| {
            let shape = shapes.get(side.param as usize)?;
            shape.get(side.axis as usize).copied()
        };
        let assumed = &self.inner.compiled()?.assumed;
        let fits = assumed.iter().all(|(a, b)| extent(a) == extent(b));
        match fits || *assumed == self.source.alike.extents {
            true => Ok(self),
            false => self.general(),
        }
    }

    /// The form for any extents.
    fn general(self) -> Result<Self, Error> {
        let Self { source, inner } = self;
        if let Some(inner) = inner.general.get() {
            return Ok(Self { source, inner });
        }
        let said = source.alike.extents.clone();
        let made = with_deep_stack(|| passes::compile_for(source, said))?;
        let inner = inner.general.get_or_init(|| Inner::new(made));
        Ok(Self { source, inner })
    }

    fn executable<B: Backend>(self, backend: &B) -> Result<Arc<B::Executable>, RunError> {
        let is_watched = backend.watches_loops();
        let key = Key {
            code: TypeId::of::<B::Executable>(),
            backend: backend.name(),
            is_watched,
        };
        let cache = self.inner.executables.lock();
        let mut cache = cache.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(&key).cloned().and_then(|e| e.downcast().ok()) {
            return Ok(known);
        }
        let schedule = match is_watched {
            true => self.watched()?,
            false => &self.inner.compiled()?.schedule,
        };
        let executable = Arc::new(backend.prepare(schedule)?);
        cache.insert(key, executable.clone());
        Ok(executable)
    }

    /// The schedule for runs that have to do with single trips of loops, made when the first asks for it.
    fn watched(self) -> Result<&'p Checked<Schedule>, RunError> {
        if let Some(known) = self.inner.watched.get() {
            return Ok(known);
        }
        let compiled = self.inner.compiled()?;
        let made = with_deep_stack(|| compiled.watched(self.source));
        let made = made.map_err(|e| RunError::Bug(format!("it compiled before: {e}")))?;
        Ok(self.inner.watched.get_or_init(|| made))
    }

    /// Explains the program, whose arrays have so many columns each: for inputs of these shapes, or any that it is compiled for.
    fn explained(
        self,
        columns: &[usize],
        shapes: Option<&[Vec<usize>]>,
    ) -> Result<Explanation, Error> {
        let given = shapes.into_iter().flatten().zip(columns);
        let given = given.flat_map(|(shape, &count)| std::iter::repeat_n(&shape[..], count));
        let form = match shapes {
            Some(_) => self.for_shapes(given)?,
            None => self,
        };
        let Compiled {
            assumed: _,
            schedule,
            report,
        } = form.inner.compiled()?;
        let notes = Notes {
            fired: &report.fired,
            kept: &report.kept,
            columns,
        };
        Ok(explain(schedule, notes, shapes)?)
    }
}

/// Compiles a function over arrays.
///
/// `f` is run once, on handles that stand for its arguments; what it builds is differentiated, simplified,
/// fused and checked. The result runs on any backend.
///
/// # Errors
/// [`Error::Surface`] where the closures do not make a program (a handle that escapes its closure, nested
/// data parallelism), [`Error::Ad`] where a derivative is asked for that is not to be had; each names the
/// user's line.
///
/// ```
/// use cotangent::prelude::*;
/// let sum = cotangent::compile(|m: Acc<Ix2, f32>| m.sum())?;
/// let m = Array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!(sum.run(&cotangent::Cpu::default(), m)?.to_vec(), [3.0, 7.0]);
/// # Ok::<(), cotangent::Error>(())
/// ```
#[track_caller]
pub fn compile<M, F: AccFn<M>>(f: F) -> Result<Program<F::In, F::Out>, Error> {
    let traced = trace(f)?;
    let recovered = || passes::recovered(&traced.graph, &traced.lambda);
    Program::compiled(with_deep_stack(recovered)?)
}

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// Runs the program.
    ///
    /// # Errors
    /// [`Error::Run`] where the program fails (an index out of range, memory that cannot be had) or the
    /// backend lacks something it needs.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let cpu = cotangent::Cpu::default();
    /// assert_eq!(norm.run(&cpu, Array::vector(vec![1.0, 2.0])?)?.item(), 5.0);
    /// assert_eq!(norm.run(&cpu, Array::vector(vec![3.0])?)?.item(), 9.0); // Of any extents.
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run<B: Backend>(&self, backend: &B, inputs: In::Host) -> Result<Out::Host, Error> {
        let inputs = columns::<In>(inputs);
        let executable = self.executable_for(backend, inputs.iter().map(HostArray::shape))?;
        self.outputs(backend.run(&executable, &inputs)?)
    }

    /// Runs the program, and leaves its results in `out`, whose memory this run may use for them: memory that the backend gave out, and that nobody
    /// else holds. A loop of such runs has one set of results, and asks the system for no memory after the first.
    ///
    /// # Errors
    /// As [`run`](Self::run); `out` then holds arrays without elements, and zeros where these have no dimensions.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let doubled = cotangent::compile(|x: Acc<Ix1, f64>| x * 2.0)?;
    /// let cpu = cotangent::Cpu::default();
    /// let x = Array::vector(vec![1.0, 2.0])?;
    /// let mut out = doubled.run(&cpu, x.clone())?;
    /// for _ in 0..3 {
    ///     doubled.run_into(&cpu, x.clone(), &mut out)?;
    /// }
    /// assert_eq!(out.to_vec(), [2.0, 4.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run_into<B: Backend>(
        &self,
        backend: &B,
        inputs: In::Host,
        out: &mut Out::Host,
    ) -> Result<(), Error> {
        let mut types = vec![];
        Out::array_types(&mut types);
        let nothing: Option<Vec<_>> = types.into_iter().map(HostArray::empty).collect();
        let nothing = nothing.ok_or_else(|| RunError::Bug("an array without elements".into()))?;
        // What was there goes back to the backend now.
        *out = self.outputs(nothing)?;
        *out = self.run(backend, inputs)?;
        Ok(())
    }

    /// Runs the program, and says what that took.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let x = Array::from_vec([3], vec![1.0, 2.0, 3.0])?;
    /// let (norm, measures) = norm.run_measured(&cotangent::Cpu::default(), x)?;
    /// assert_eq!(norm.to_vec(), [14.0]);
    /// assert_eq!((measures.passes, measures.peak_bytes), (1, 8));
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run_measured<B: Backend>(
        &self,
        backend: &B,
        inputs: In::Host,
    ) -> Result<(Out::Host, RunMeasures), Error> {
        let inputs = columns::<In>(inputs);
        let executable = self.executable_for(backend, inputs.iter().map(HostArray::shape))?;
        let (outputs, measures) = backend.run_measured(&executable, &inputs)?;
        Ok((self.outputs(outputs)?, measures))
    }

    /// What the program gives for arrays of another that is being built: its operations are there as if its closure had been called in this
    /// place, and are fused and differentiated with those around them. What fails in them names their own places.
    ///
    /// Time: that of going through the program once.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let gradient = cotangent::compile(|x: Acc<Ix1, f64>| gradient_a(|x| norm.call(x), x * 2.0))?;
    /// let x = Array::vector(vec![1.0, 2.5])?;
    /// assert_eq!(gradient.run(&cotangent::Cpu::default(), x)?.to_vec(), [4.0, 10.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    #[track_caller]
    pub fn call(&self, args: In) -> Out {
        let source = self.source.erased();
        cotangent_core::surface::call(&with_deep_stack(|| label(source)), args)
    }

    /// Generates the code for a backend, so that the first run need not: that for inputs whose extents are equal where they meet.
    ///
    /// # Errors
    /// Where the backend lacks something that the program needs.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let cpu = cotangent::Cpu::default();
    /// norm.prepare(&cpu)?;
    /// assert_eq!(norm.run(&cpu, Array::vector(vec![1.0, 2.0])?)?.item(), 5.0);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn prepare<B: Backend>(&self, backend: &B) -> Result<(), Error> {
        Ok(self.form().executable(backend).map(drop)?)
    }

    /// Runs the program in the reference interpreter, which defines its meaning and is slow; gradients are
    /// computed by dual numbers.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let partials = cotangent::compile(|x: Acc<Ix1, f64>| gradient_a(|x| x.product(), x))?;
    /// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
    /// assert_eq!(partials.interpret(x)?.to_vec(), [6.0, 3.0, 2.0]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn interpret(&self, inputs: In::Host) -> Result<Out::Host, Error> {
        let (source, columns) = (self.source.erased(), columns::<In>(inputs));
        // Conditionals may be nested deeply; the labelled form is made, run and dropped there.
        let outputs = with_deep_stack(|| interp::run(&label(source), &columns))?;
        self.outputs(outputs)
    }

    /// What the program became: its kernels, what each takes, and why they are not fewer. Figures are formulas
    /// over the extents of the inputs; `x1.0` is the outermost extent of the second array. They are for inputs whose extents are
    /// equal where they meet, which [`Explanation::assumes`] lists.
    ///
    /// # Errors
    /// None that programs can cause.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x * x).sum())?;
    /// let explanation = norm.explain()?;
    /// let fold = &explanation.kernels[0]; // The map is computed inside of the fold.
    /// assert_eq!(explanation.kernels.len(), 1);
    /// assert_eq!(fold.flops.to_string(), "2*x0.0");
    /// assert_eq!(fold.bytes_read.to_string(), "8*x0.0");
    /// println!("{explanation}"); // Or `to_dot()` for Graphviz, `to_json()` for programs.
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn explain(&self) -> Result<Explanation, Error> {
        self.explained(None)
    }

    /// The same for inputs of given shapes, one for each array in `In`: figures are numbers, but for what depends
    /// on the elements of arrays.
    ///
    /// # Errors
    /// [`Error::Explain`] where the shapes do not fit the parameters.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let softmax = cotangent::compile(|x: Acc<Ix1, f64>| {
    ///     let e = x.map(|x| x.exp());
    ///     e.zip_with(e.sum().replicate(ix![x.inner()]), |e, sum| e / sum)
    /// })?;
    /// let explanation = softmax.explain_for(&[&[1000]])?;
    /// // The exponentials are kept, since both the sum and the quotient read them.
    /// assert_eq!(explanation.kernels.len(), 3);
    /// assert_eq!(explanation.temporaries_bytes.number(), Some(8 * 1000 + 8));
    /// assert_eq!(explanation.peak_bytes.number(), Some(3 * 8 * 1000 + 8));
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn explain_for(&self, shapes: &[&[usize]]) -> Result<Explanation, Error> {
        let shapes: Vec<_> = shapes.iter().map(|shape| shape.to_vec()).collect();
        self.explained(Some(&shapes))
    }

    /// The same for given inputs, on which the program runs: with the time that each kernel took, on the CPU or a device.
    ///
    /// # Errors
    /// As [`run`](Self::run), and where the device has no clock.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let norm = cotangent::compile(|x: Acc<Ix1, f32>| x.map(|x| x * x).sum())?;
    /// let explanation = norm.explain_timed(&cotangent::Cpu::default(), Array::vector(vec![1.0; 1000])?)?;
    /// assert!(explanation.kernels[0].time.is_some());
    /// println!("{explanation}"); // … took 0.007 ms in 1 start, 0.57 GB/s, 0.28 Gflop/s
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn explain_timed<B: Timed>(
        &self,
        backend: &B,
        inputs: In::Host,
    ) -> Result<Explanation, Error> {
        let columns = columns::<In>(inputs);
        let executable = self.executable_for(backend, columns.iter().map(HostArray::shape))?;
        // The first run makes ready what later runs find.
        backend.run(&executable, &columns)?;
        let (_, times) = backend.run_timed(&executable, &columns)?;
        let shapes = shapes::<In>(&columns);
        Ok(self.explained(Some(&shapes))?.with_times(&times))
    }

    fn explained(&self, shapes: Option<&[Vec<usize>]>) -> Result<Explanation, Error> {
        let mut columns = vec![];
        In::column_counts(&mut columns);
        self.form().explained(&columns, shapes)
    }

    /// Runs the passes.
    fn compiled(source: TypedProgram<In::Types, Out::Types>) -> Result<Self, Error> {
        let compiled = with_deep_stack(|| passes::compile(source.erased()))?;
        let inner = Inner::new(compiled);
        Ok(Self { source, inner })
    }

    fn form(&self) -> Form<'_> {
        let (source, inner) = (self.source.erased(), &*self.inner);
        Form { source, inner }
    }

    fn outputs(&self, outputs: Vec<HostArray>) -> Result<Out::Host, Error> {
        of_one_shape::<Out>(outputs.iter().map(HostArray::shape))?;
        let wrong = || RunError::Bug("a backend gave results of another type".into());
        Ok(Out::to_host(&mut outputs.into_iter()).ok_or_else(wrong)?)
    }
}

/// The shape of each array: that of its first column.
fn shapes<In: Arrays>(columns: &[HostArray]) -> Vec<Vec<usize>> {
    let mut counts = vec![];
    In::column_counts(&mut counts);
    let mut rest = columns;
    let shapes = counts.into_iter().map(|count| {
        let (array, others) = rest.split_at(count.min(rest.len()));
        rest = others;
        array
            .first()
            .map_or(vec![], |column| column.shape().to_vec())
    });
    shapes.collect()
}

pub(crate) fn columns<In: Arrays>(inputs: In::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    In::from_host(inputs, &mut columns);
    columns
}

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// The code for inputs of such shapes, one for each column.
    pub(crate) fn executable_for<'s, B: Backend>(
        &self,
        backend: &B,
        shapes: impl IntoIterator<Item = &'s [usize]>,
    ) -> Result<Arc<B::Executable>, Error> {
        Ok(self.form().for_shapes(shapes)?.executable(backend)?)
    }
}

impl<In: Arrays, Out: Arrays> Clone for Program<In, Out> {
    fn clone(&self) -> Self {
        Self {
            source: self.source.clone(),
            inner: self.inner.clone(),
        }
    }
}

impl<In: Arrays, Out: Arrays> fmt::Display for Program<In, Out> {
    /// The program as the core language has it: typed, de Bruijn-indexed, with gradients. [`compile_text`] reads it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl<In: Arrays, Out: Arrays> fmt::Debug for Program<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({})", std::any::type_name::<fn(In) -> Out>())
    }
}
