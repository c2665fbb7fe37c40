//! Programs from text: compiled as those from closures are, but their arrays have no types in Rust.

use super::{Form, Inner, Program};
use crate::error::Error;
use crate::passes;
use cotangent_core::backend::Backend;
use cotangent_core::deep::with_deep_stack;
use cotangent_core::host::HostArray;
use cotangent_core::parse::{Hosts, Parser};
use cotangent_core::surface::Arrays;
use cotangent_core::term::Naming;
use cotangent_core::term::Program as Term;
use cotangent_core::typed::AnyProgram;
use cotangent_explain::Explanation;
use std::fmt;
use std::sync::Arc;

/// A compiled program from text. Its inputs and results are columns: an array of tuples is several, of one shape.
///
/// Cloning is cheap; clones share the code generated for each backend.
#[derive(Clone)]
pub struct ErasedProgram {
    source: AnyProgram,
    inner: Arc<Inner>,
    /// How many inputs make up each array.
    columns: Vec<usize>,
}

/// Compiles a program from its text, in the official form, which `Display` of a [`Program`](crate::Program) prints, or in the
/// labelled one. Errors name lines and columns of the text.
///
/// ```
/// use cotangent::prelude::*;
/// use cotangent::{Cpu, Hosts, compile, compile_text};
///
/// let gradient = compile(|x: Acc<Ix1, f64>| gradient_a(|x| x.map(|x| x * x).sum(), x))?;
/// let text = gradient.to_string();
/// assert!(text.contains("gradient_a (a@0)"));
///
/// let read = compile_text(&text, Hosts::Given(&[]))?;
/// assert_eq!(read.to_string(), text);
/// let x = Array::vector(vec![1.0, 2.5])?;
/// let results = read.run(&Cpu::default(), x.columns())?;
/// assert_eq!(results, gradient.run(&Cpu::default(), x)?.columns());
/// # Ok::<(), cotangent::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`] where the text is not one of a well-formed program, or the host arrays are not those that it says, and what
/// [`compile`](crate::compile) may say of a program.
pub fn compile_text(text: &str, hosts: Hosts<'_>) -> Result<ErasedProgram, Error> {
    let parser = Parser {
        hosts,
        ..Parser::default()
    };
    with_deep_stack(|| {
        let source = AnyProgram::try_from_erased(parser.official(text)?)?;
        let compiled = passes::compile(source.erased())?;
        Ok(ErasedProgram {
            columns: column_counts(source.erased()),
            source,
            inner: Inner::new(compiled),
        })
    })
}

/// How many columns each array has: inputs one after the other that have the shape of the first of them.
fn column_counts<N: Naming>(program: &Term<N>) -> Vec<usize> {
    let (mut counts, mut first) = (vec![], 0);
    for param in 0..program.params.len() as u32 {
        let is_next = program.alike.params.get(&param) == Some(&first);
        match counts.last_mut() {
            Some(count) if is_next => *count += 1,
            Some(_) | None => {
                counts.push(1);
                first = param;
            }
        }
    }
    counts
}

impl ErasedProgram {
    /// This program as one on arrays of these types, if they are its own, column by column: nothing is compiled again.
    ///
    /// What the text says of inputs holds also there: a run on arrays that it says to have one shape, and that have not, fails.
    ///
    /// # Errors
    /// [`Error::Cast`] where the program has other parameters or results.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// use cotangent::{Cpu, Error, Hosts, compile_text};
    /// let text = "program (_: i32[_]) { let _: i32[_] = append (a@0, a@0) return (a@0) }";
    /// let erased = compile_text(text, Hosts::Given(&[]))?;
    /// let twice = erased.cast::<Acc<Ix1, i32>, Acc<Ix1, i32>>()?;
    /// assert_eq!(twice.run(&Cpu::default(), Array::vector(vec![3, 4])?)?.to_vec(), [3, 4, 3, 4]);
    /// let of_floats = erased.cast::<Acc<Ix1, f64>, Acc<Ix1, f64>>();
    /// assert!(matches!(of_floats, Err(Error::Cast(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cast<In: Arrays, Out: Arrays>(&self) -> Result<Program<In, Out>, Error> {
        Ok(Program {
            source: self.source.cast()?,
            inner: self.inner.clone(),
        })
    }

    fn form(&self) -> Form<'_> {
        let (source, inner) = (self.source.erased(), &*self.inner);
        Form { source, inner }
    }

    /// Runs the program on one input for each column of its parameters.
    ///
    /// # Errors
    /// [`Error::Run`] where the inputs are not of the parameters' types, the program fails, or the backend lacks something
    /// it needs.
    ///
    /// ```
    /// use cotangent::{Column, Cpu, HostArray, Hosts, compile_text};
    /// let text = "program (_: i32[_]) { let _: i32[_] = append (a@0, a@0) return (a@0) }";
    /// let twice = compile_text(text, Hosts::Given(&[]))?;
    /// let x = HostArray::new(vec![2], Column::from(vec![3, 4]))?;
    /// assert_eq!(twice.run(&Cpu::default(), &[x])?[0].column(), &Column::from(vec![3, 4, 3, 4]));
    /// let of_floats = HostArray::new(vec![2], Column::from(vec![3.0, 4.0]))?;
    /// assert!(twice.run(&Cpu::default(), &[of_floats]).is_err());
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn run<B: Backend>(
        &self,
        backend: &B,
        inputs: &[HostArray],
    ) -> Result<Vec<HostArray>, Error> {
        let form = self
            .form()
            .for_shapes(inputs.iter().map(HostArray::shape))?;
        let executable = form.executable(backend)?;
        Ok(backend.run(&executable, inputs)?)
    }

    /// What the program became, with figures as formulas over the extents of the inputs. Inputs side by side that the text
    /// says to be `alike` count as one array.
    ///
    /// # Errors
    /// None that programs can cause.
    ///
    /// ```
    /// use cotangent::{Hosts, compile_text};
    /// let text = "program (_: i32[_]) { let _: i32[_] = append (a@0, a@0) return (a@0) }";
    /// let explanation = compile_text(text, Hosts::Given(&[]))?.explain()?;
    /// assert_eq!(explanation.inputs_bytes.to_string(), "4*x0.0");
    /// assert_eq!(explanation.kernels[0].location, "text:1:23");
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn explain(&self) -> Result<Explanation, Error> {
        self.form().explained(&self.columns, None)
    }

    /// The same for inputs of given shapes, one for each array.
    ///
    /// # Errors
    /// [`Error::Explain`] where the shapes do not fit the parameters.
    ///
    /// ```
    /// use cotangent::{Hosts, compile_text};
    /// let text = "program (_: i32[_]) { let _: i32[_] = append (a@0, a@0) return (a@0) }";
    /// let twice = compile_text(text, Hosts::Given(&[]))?;
    /// assert_eq!(twice.explain_for(&[&[10]])?.peak_bytes.number(), Some(3 * 10 * 4));
    /// assert!(twice.explain_for(&[]).is_err());
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn explain_for(&self, shapes: &[&[usize]]) -> Result<Explanation, Error> {
        let shapes: Vec<_> = shapes.iter().map(|shape| shape.to_vec()).collect();
        self.form().explained(&self.columns, Some(&shapes))
    }
}

impl fmt::Display for ErasedProgram {
    /// The program in the official form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_deep_stack(|| self.source.erased().to_string()))
    }
}

impl fmt::Debug for ErasedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source: _,
            inner: _,
            columns,
        } = self;
        write!(f, "ErasedProgram({columns:?})")
    }
}
