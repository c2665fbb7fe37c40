//! Curves and points in the plane, as SVG. It is little enough text to be written here.

use super::pixels::failed;
use crate::error::{ExampleError, Result};
use std::fmt::Write;
use std::path::Path;

/// The longer side of a picture.
const SIDE: f64 = 800.0;
/// What is left free on each side.
const MARGIN: f64 = 20.0;
/// Colours that are told apart easily, used one after the other.
const COLOURS: [&str; 8] = [
    "#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf",
];

type Point = (f64, f64);

enum Mark {
    Curve {
        colour: usize,
        points: Vec<Point>,
    },
    Dots {
        colour: usize,
        radius: f64,
        points: Vec<Point>,
    },
}

impl Mark {
    fn points(&self) -> &[Point] {
        match self {
            Self::Curve { points, .. } | Self::Dots { points, .. } => points,
        }
    }
}

/// A picture of curves and dots, scaled so that all of them are seen; y points up.
#[derive(Default)]
pub struct Plot {
    marks: Vec<Mark>,
    is_stretched: bool,
}

/// From coordinates to places in the picture.
struct Frame {
    low: Point,
    high: Point,
    scale: Point,
}

impl Plot {
    /// A picture in which a unit of x is as long as one of y.
    pub fn new() -> Self {
        Self::default()
    }

    /// A picture in which x and y are scaled apart, for curves over time.
    pub fn stretched() -> Self {
        Self {
            is_stretched: true,
            ..Self::default()
        }
    }

    /// Adds a curve through points. Colours count from 0, and begin again after some.
    pub fn curve(&mut self, colour: usize, points: Vec<Point>) {
        self.marks.push(Mark::Curve { colour, points });
    }

    /// Adds dots.
    pub fn dots(&mut self, colour: usize, radius: f64, points: Vec<Point>) {
        let mark = Mark::Dots {
            colour,
            radius,
            points,
        };
        self.marks.push(mark);
    }

    /// Writes the picture.
    ///
    /// # Errors
    /// Where it has no points, or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.to_svg()?;
        std::fs::write(path, text).map_err(|error| failed(path, error))
    }

    /// The picture as text.
    ///
    /// # Errors
    /// Where it has no points.
    pub fn to_svg(&self) -> Result<String> {
        let frame = self.frame().ok_or(ExampleError::Nothing(
            "a picture without points cannot be drawn; let the example compute at least one",
        ))?;
        let (width, height) = frame.place((frame.high.0, frame.low.1));
        let (width, height) = (width + MARGIN, height + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.2} {height:.2}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        self.marks
            .iter()
            .for_each(|mark| draw(&mut svg, &frame, mark));
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    /// The frame of all points that are finite, if there are any.
    fn frame(&self) -> Option<Frame> {
        let points = self
            .marks
            .iter()
            .flat_map(Mark::points)
            .filter(|p| is_finite(p));
        let (low, high) = points.fold(None, |so_far: Option<(Point, Point)>, &(x, y)| {
            let (low, high) = so_far.unwrap_or(((x, y), (x, y)));
            let low = (low.0.min(x), low.1.min(y));
            Some((low, (high.0.max(x), high.1.max(y))))
        })?;
        let (width, height) = (high.0 - low.0, high.1 - low.1);
        let longer = width.max(height);
        let scale = if self.is_stretched {
            (scale(width, SIDE), scale(height, SIDE / 2.0))
        } else {
            (scale(longer, SIDE), scale(longer, SIDE))
        };
        Some(Frame { low, high, scale })
    }
}

fn is_finite(point: &Point) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

/// What makes `extent` as long as `side`; 1 for no extent.
fn scale(extent: f64, side: f64) -> f64 {
    if extent > 0.0 { side / extent } else { 1.0 }
}

impl Frame {
    fn place(&self, (x, y): Point) -> Point {
        let from_left = (x - self.low.0) * self.scale.0;
        let from_top = (self.high.1 - y) * self.scale.1;
        (MARGIN + from_left, MARGIN + from_top)
    }
}

/// Appends a mark. Writing to a string does not fail.
fn draw(svg: &mut String, frame: &Frame, mark: &Mark) {
    let places = mark
        .points()
        .iter()
        .filter(|p| is_finite(p))
        .map(|&p| frame.place(p));
    match mark {
        Mark::Curve { colour, .. } => {
            let points: Vec<_> = places.map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
            let (points, colour) = (points.join(" "), COLOURS[colour % COLOURS.len()]);
            let _ = writeln!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\"/>"
            );
        }
        Mark::Dots { colour, radius, .. } => {
            let colour = COLOURS[colour % COLOURS.len()];
            let _ = writeln!(svg, "<g fill=\"{colour}\">");
            for (x, y) in places {
                let _ = writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\"/>");
            }
            svg.push_str("</g>\n");
        }
    }
}
