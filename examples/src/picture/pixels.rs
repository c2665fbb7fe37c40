//! Grids of numbers as pictures of pixels.

use crate::error::{ExampleError, Result};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// The colours of the scale, from 0 to 1.
const SCALE: [Colour; 5] = [
    [0, 0, 16],
    [48, 24, 128],
    [200, 56, 96],
    [252, 168, 48],
    [255, 255, 224],
];

/// A colour for a number from 0 (dark) to 1 (light); others count as the nearer end, NaN as 0.
pub fn heat_colour(value: f64) -> Colour {
    let last = SCALE.len() - 1;
    let place = unit_interval(value) * last as f64;
    // The place is from 0 to `last`.
    let left = (place as usize).min(last - 1);
    let share = place - left as f64;
    std::array::from_fn(|part| {
        let (from, to) = (SCALE[left][part], SCALE[left + 1][part]);
        (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8
    })
}

/// The nearest number from 0 to 1; 0 for NaN.
fn unit_interval(value: f64) -> f64 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

/// Writes a picture of the given width, row by row from the top.
///
/// # Errors
/// Where it has no pixels, or the file cannot be written.
pub fn write_png(path: &Path, width: usize, pixels: &[Colour]) -> Result<()> {
    if width == 0 || pixels.is_empty() {
        return Err(ExampleError::Nothing(
            "a picture without pixels cannot be written; give a width and a height of at least 1",
        ));
    }
    encode(path, width, pixels).map_err(|error| failed(path, std::io::Error::other(error)))
}

fn encode(
    path: &Path,
    width: usize,
    pixels: &[Colour],
) -> std::result::Result<(), png::EncodingError> {
    let extent = |value: usize| u32::try_from(value).map_err(std::io::Error::other);
    let (columns, rows) = (extent(width)?, extent(pixels.len() / width)?);
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), columns, rows);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_flattened())?;
    writer.finish()
}

/// What is said where a file cannot be written.
pub(super) fn failed(path: &Path, source: std::io::Error) -> ExampleError {
    ExampleError::Output {
        path: path.to_owned(),
        source,
    }
}
