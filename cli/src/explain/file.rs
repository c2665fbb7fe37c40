//! Programs in files: read, compiled and explained; where the text is wrong, its line is shown.

use super::{Format, said};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;
use cotangent::errors::ParseError;
use cotangent::{ErasedProgram, Error, Hosts, compile_text};
use cotangent_adbench::input;
use std::path::{Path, PathBuf};

/// `cotangent explain FILE`.
#[derive(Args)]
pub struct FileOptions {
    /// A file with a program in its text form; `-` is standard input.
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// The extents of an input, such as 1000x20, or `scalar`; once for each input, in order. Without, figures are
    /// formulas: x1.0 is the outermost extent of input 1.
    #[arg(long = "shape", value_name = "EXTENTS", value_parser = shape)]
    shapes: Vec<Shape>,
    #[command(flatten)]
    format: Format,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Files:
  A file has a program as `cotangent explain gmm --text`, `println!(\"{program}\")` for a compiled program, and
  COTANGENT_DUMP=ast or simplified print it. Inputs side by side that it calls `alike` are one input. Arrays that
  are part of the program (`host`) count as zeros.

Examples:
  cotangent explain gmm
  cotangent explain gmm --text > gmm.txt
  cotangent explain gmm.txt
  cotangent explain gmm.txt --shape 5 --shape 5x3 --shape 5x3 --shape 100x3 --shape scalar
  cotangent explain gmm --objective --text | cotangent explain -";

/// The extents of an array.
#[derive(Clone)]
struct Shape(Vec<usize>);

fn shape(text: &str) -> Result<Shape, String> {
    if text == "scalar" {
        return Ok(Shape(vec![]));
    }
    let extents: Result<_, _> = text.split('x').map(str::parse).collect();
    let wanted = |_| "extents with an `x` between them are wanted, or `scalar`".to_owned();
    extents.map(Shape).map_err(wanted)
}

/// The explanation of the program in a file, or what is wrong.
pub fn explain(options: &FileOptions) -> Result<String, String> {
    let FileOptions {
        file,
        shapes,
        format,
    } = options;
    let path = file.as_deref().unwrap_or(Path::new("-"));
    let (path, text) = input::read(path).map_err(|error| said(error.into()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let explanation = compile_text(text, Hosts::Zeros).and_then(|program| {
        let shapes: Vec<_> = shapes.iter().map(|Shape(shape)| &shape[..]).collect();
        explained(&program, &shapes)
    });
    match explanation {
        Ok(explanation) => Ok(format.of(&explanation)),
        Err(Error::Parse(error)) => Err(shown(path, text, &error)),
        Err(error) => Err(said(error.into())),
    }
}

fn explained(
    program: &ErasedProgram,
    shapes: &[&[usize]],
) -> Result<cotangent::Explanation, Error> {
    match shapes {
        [] => program.explain(),
        [..] => program.explain_for(shapes),
    }
}

/// The error below the line where it is, in the manner of rustc.
fn shown(path: &Path, text: &str, error: &ParseError) -> String {
    let ParseError { at, problem } = error;
    let path = path.display().to_string();
    let place = AnnotationKind::Primary.span(at.bytes.clone());
    let snippet = Snippet::source(text).path(path).annotation(place);
    let report = Level::ERROR.primary_title(problem.to_string());
    Renderer::plain().render(&[report.element(snippet)])
}
