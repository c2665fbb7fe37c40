//! JAX as a peer of operations: one process, which is asked for case after case.

use crate::Failure;
use crate::peer::{Folder, floats};
use crate::python;
use cotangent::{Column, HostArray};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process that runs `benches/jax/primitives.py`.
pub struct Jax {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: Folder,
}

impl Jax {
    /// Starts it in a python that has JAX, on so many threads; each case is given so many seconds.
    ///
    /// # Errors
    /// Where that python has no JAX, or cannot be run.
    pub fn start(python: &Path, threads: usize, seconds: f64) -> Result<Self, Failure> {
        python::has(python, "jax")?;
        let mut command = Command::new(python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/jax/primitives.py"));
        command.args([threads.to_string(), seconds.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        python::keep_memory(&mut command, None);
        let mut process = command.spawn()?;
        let (questions, answers) = (process.stdin.take(), process.stdout.take());
        let missing = "JAX has no standard input or output";
        Ok(Self {
            questions: questions.ok_or(missing)?,
            answers: BufReader::new(answers.ok_or(missing)?),
            process,
            folder: Folder::create()?,
        })
    }

    /// The seconds that a case takes on these inputs, and what it gives.
    ///
    /// # Errors
    /// Where it fails, or has no such case.
    pub fn case(&mut self, name: &str, inputs: &[HostArray]) -> Result<(f64, Vec<f64>), Failure> {
        let output = self.folder.file("output");
        let mut question = format!("{name}\t{}", output.display());
        for (at, input) in inputs.iter().enumerate() {
            let path = self.folder.file(&format!("input{at}"));
            let kind = write(input, &path)?;
            let extents = input.shape().iter().map(usize::to_string);
            let extents = extents.collect::<Vec<_>>().join(",");
            question += &format!("\t{kind}\t{extents}\t{}", path.display());
        }
        writeln!(self.questions, "{question}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let seconds = answer.trim().parse();
        let seconds = seconds.map_err(|_| format!("JAX, {name}: {}", answer.trim()))?;
        Ok((seconds, floats(&std::fs::read(output)?)))
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // It may be gone already, which is as well.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Writes the elements; gives the name of their type.
fn write(array: &HostArray, path: &PathBuf) -> Result<&'static str, Failure> {
    let (kind, bytes): (_, Vec<u8>) = match array.column() {
        Column::F64(all) => ("f64", all.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Column::I32(all) => ("i32", all.iter().flat_map(|x| x.to_le_bytes()).collect()),
        other => return Err(format!("no peer is given {}", other.scalar_type()).into()),
    };
    std::fs::write(path, bytes)?;
    Ok(kind)
}
