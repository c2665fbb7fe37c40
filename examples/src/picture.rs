//! Pictures: pixels as PNG, curves and points as SVG.

mod pixels;
mod plot;

pub use pixels::{heat_colour, write_png};
pub use plot::Plot;
