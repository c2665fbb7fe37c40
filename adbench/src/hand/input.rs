//! The input of the hand-tracking task.

use super::{BONES, THETA};
use crate::input::{InputError, Lines, made, product, read, reserve};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Display;
use std::path::Path;

/// A bone of the hand at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The bone that it is joined to, one before it; none for the first.
    pub parent: Option<usize>,
    /// Where it is in its parent's coordinates, \[4, 4] in row-major order.
    pub relative: [f64; 16],
    /// The inverse of where it is, \[4, 4] in row-major order.
    pub inverse: [f64; 16],
}

/// A hand at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct HandModel {
    /// The bones, [`BONES`] of them.
    pub bones: Vec<Bone>,
    /// The points of its skin, \[v, 3].
    pub positions: Vec<f64>,
    /// How much each bone moves each point, \[v, [`BONES`]].
    pub weights: Vec<f64>,
    /// The points at the corners of each triangle of the skin.
    pub triangles: Vec<[usize; 3]>,
}

/// A hand, a pose, and points that were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct HandInput {
    /// The hand.
    pub model: HandModel,
    /// For each measured point, the point of the skin that it is, or, if there are coordinates, the triangle.
    pub correspondences: Vec<usize>,
    /// The measured points, \[n, 3].
    pub points: Vec<f64>,
    /// Where each measured point is in its triangle, \[n, 2]; none if points of the skin were measured.
    pub us: Option<Vec<f64>>,
    /// The pose: rotation, translation, angles of the fingers, \[[`THETA`]].
    pub theta: Vec<f64>,
}

impl HandModel {
    /// The number of points of the skin.
    pub fn vertices(&self) -> usize {
        self.positions.len() / 3
    }

    /// Makes a hand of `v` points: bones in a row for each finger, each point moved by up to three of them.
    fn generate(v: usize, rng: &mut ChaCha8Rng) -> Result<Self, InputError> {
        let near = |x: f64, rng: &mut ChaCha8Rng| x + 0.1 * (rng.random::<f64>() - 0.5);
        let mut weights = made(product(v, BONES, "the weights")?, "the weights", |_| 0.0)?;
        for of_vertex in weights.chunks_mut(BONES) {
            for part in [0.5, 0.3, 0.2] {
                of_vertex[rng.random_range(0..BONES)] += part;
            }
        }
        let bone = |bone: usize| {
            let is_within_finger = (1..BONES - 1).contains(&bone) && bone % 4 != 1;
            let parent = bone
                .checked_sub(1)
                .map(|before| if is_within_finger { before } else { 0 });
            let mut identity = [0.0; 16];
            (0..4).for_each(|i| identity[5 * i] = 1.0);
            (parent, identity)
        };
        let bones = (0..BONES).map(bone).map(|(parent, at)| {
            let mut moved = |x| at.map(|entry| if entry == 0.0 { near(0.0, rng) } else { x });
            let (mut relative, mut inverse) = (moved(1.0), moved(1.0));
            relative[12..15].fill(0.0);
            inverse[12..15].fill(0.0);
            Bone {
                parent,
                relative,
                inverse,
            }
        });
        let bones = bones.collect();
        let positions = product(v, 3, "the points of the skin")?;
        let positions = made(positions, "the points of the skin", |_| rng.random())?;
        let corner = |k: usize| k % v;
        Ok(Self {
            bones,
            positions,
            weights,
            triangles: (0..v).map(|k| [k, corner(k + 1), corner(k + 2)]).collect(),
        })
    }

    /// Reads the folder of a model: `bones.txt`, `vertices.txt` and `triangles.txt`.
    ///
    /// # Errors
    /// Where a file cannot be read or is malformed.
    pub fn load(folder: &Path) -> Result<Self, InputError> {
        let text = |name: &str| {
            let path = folder.join(name);
            read(&path)
                .map(|(_, text)| text)
                .map(|text| (path.clone(), text))
        };
        let (path, bones) = text("bones.txt")?;
        let bones = self::bones(&path, &bones)?;
        let (path, vertices) = text("vertices.txt")?;
        let (positions, weights) = self::vertices(&path, &vertices)?;
        let (path, triangles) = text("triangles.txt")?;
        let triangles = self::triangles(&path, &triangles, positions.len() / 3)?;
        Ok(Self {
            bones,
            positions,
            weights,
            triangles,
        })
    }
}

/// The words of a line, which colons separate, as numbers.
fn numbers(lines: &Lines<'_>, line: &str, expected: &dyn Display) -> Result<Vec<f64>, InputError> {
    let number = |word: &str| {
        let number: f64 = lines.number(word.trim(), expected)?;
        match number.is_finite() {
            true => Ok(number),
            false => Err(lines.error_at(expected, word)),
        }
    };
    line.split(':').map(number).collect()
}

/// A position among `count`.
fn position(
    lines: &Lines<'_>,
    x: f64,
    count: usize,
    expected: &dyn Display,
) -> Result<usize, InputError> {
    match x >= 0.0 && x < count as f64 && x.fract() == 0.0 {
        true => Ok(x as usize),
        false => Err(lines.error(expected, x)),
    }
}

fn bones(path: &Path, text: &str) -> Result<Vec<Bone>, InputError> {
    let mut lines = Lines::new(path, text);
    let mut bones = vec![];
    for number in 0..BONES {
        let expected =
            "a bone: its name, the number of an earlier bone or -1, and two matrices of 16 numbers";
        let line = lines.line(&expected)?;
        let rest = line.split_once(':').map_or("", |(_name, rest)| rest);
        let numbers = self::numbers(&lines, rest, &expected)?;
        let (Some((&parent, matrices)), true) = (numbers.split_first(), numbers.len() == 33) else {
            return Err(lines.error(expected, format_args!("{} numbers", numbers.len())));
        };
        let parent = match parent == -1.0 {
            true => None,
            false => Some(position(&lines, parent, number, &expected)?),
        };
        let matrix = |first: usize| std::array::from_fn(|i| matrices[first + i]);
        bones.push(Bone {
            parent,
            relative: matrix(0),
            inverse: matrix(16),
        });
    }
    lines.end()?;
    Ok(bones)
}

/// Positions and weights.
fn vertices(path: &Path, text: &str) -> Result<(Vec<f64>, Vec<f64>), InputError> {
    let expected = "a point of the skin: 8 numbers, then how many bones move it, and for each its number and weight";
    let count = text.lines().filter(|line| !line.trim().is_empty()).count();
    let mut lines = Lines::new(path, text);
    let mut positions = reserve(
        product(count, 3, "the points of the skin")?,
        "the points of the skin",
    )?;
    let mut weights = made(product(count, BONES, "the weights")?, "the weights", |_| {
        0.0
    })?;
    for of_vertex in weights.chunks_mut(BONES) {
        let line = lines.line(&expected)?;
        let numbers = numbers(&lines, line, &expected)?;
        let moved_by = numbers.get(8).copied().unwrap_or(-1.0);
        if moved_by < 0.0 || numbers.len() as f64 != 9.0 + 2.0 * moved_by {
            return Err(lines.error(expected, format_args!("{} numbers", numbers.len())));
        }
        positions.extend(&numbers[..3]);
        for pair in numbers[9..].chunks_exact(2) {
            of_vertex[position(&lines, pair[0], BONES, &expected)?] += pair[1];
        }
    }
    Ok((positions, weights))
}

fn triangles(path: &Path, text: &str, vertices: usize) -> Result<Vec<[usize; 3]>, InputError> {
    let expected = format!("a triangle: three points of the skin, each below {vertices}");
    let mut lines = Lines::new(path, text);
    let mut triangles = vec![];
    for _ in text.lines().filter(|line| !line.trim().is_empty()) {
        let line = lines.line(&expected)?;
        let [a, b, c] = numbers(&lines, line, &expected)?[..] else {
            return Err(lines.error_at(&expected, line));
        };
        let mut corners = [0; 3];
        for (corner, x) in corners.iter_mut().zip([a, b, c]) {
            *corner = position(&lines, x, vertices, &expected)?;
        }
        triangles.push(corners);
    }
    Ok(triangles)
}

impl HandInput {
    /// The number of measured points.
    pub fn len(&self) -> usize {
        self.correspondences.len()
    }

    /// Whether no points were measured.
    pub fn is_empty(&self) -> bool {
        self.correspondences.is_empty()
    }

    /// The columns of the Jacobian: the pose, and before it, if there are such, the two coordinates of each row's own point.
    pub fn columns(&self) -> usize {
        THETA + if self.us.is_some() { 2 } else { 0 }
    }

    /// Makes a hand of `v` points, a pose, and `n` measured points, in triangles if that is asked for. The same seed gives
    /// the same input on every machine.
    ///
    /// # Errors
    /// Where there are no points of the skin, or the input does not fit in memory.
    pub fn generate(n: usize, v: usize, in_triangles: bool, seed: u64) -> Result<Self, InputError> {
        if v == 0 || v > i32::MAX as usize {
            let what = format!("a hand of {v} points; it must have at least one");
            return Err(InputError::Size { what });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = HandModel::generate(v, &mut rng)?;
        let correspondences = made(n, "the points", |_| rng.random_range(0..v))?;
        let points = made(product(n, 3, "the points")?, "the points", |_| rng.random())?;
        let us = product(n, 2, "the coordinates")?;
        let us = in_triangles.then(|| made(us, "the coordinates", |_| 0.5 * rng.random::<f64>()));
        Ok(Self {
            model,
            correspondences,
            points,
            us: us.transpose()?,
            theta: (0..THETA).map(|_| rng.random::<f64>() - 0.5).collect(),
        })
    }

    /// Reads one of ADBench's files, or standard input where that is `-`, for a hand; the file has coordinates in triangles if
    /// that is said.
    ///
    /// # Errors
    /// Where the file cannot be read or is malformed, truncated or inconsistent.
    pub fn load(path: &Path, model: HandModel, in_triangles: bool) -> Result<Self, InputError> {
        let (name, text) = read(path)?;
        Self::parse(name, &text, model, in_triangles)
    }

    /// Reads the text of such a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(
        path: &Path,
        text: &str,
        model: HandModel,
        in_triangles: bool,
    ) -> Result<Self, InputError> {
        let mut lines = Lines::new(path, text);
        let expected = format!("two sizes: the measured points, and {THETA} parameters");
        let [n, parameters] = lines.words(&expected)?;
        let n: usize = lines.number(n, &expected)?;
        if lines.number::<usize>(parameters, &expected)? != THETA {
            return Err(lines.error_at(&expected, parameters));
        }
        let room = n.min(text.len());
        let mut correspondences = reserve(room, "the points")?;
        let mut points = reserve(product(room, 3, "the points")?, "the points")?;
        let (what, count) = match in_triangles {
            true => ("triangle", model.triangles.len()),
            false => ("point of the skin", model.vertices()),
        };
        for row in 1..=n {
            let expected =
                format!("a {what}, below {count}, and three numbers (point {row} of {n})");
            let words: [&str; 4] = lines.words(&expected)?;
            let first: f64 = lines.number(words[0], &expected)?;
            correspondences.push(position(&lines, first, count, &expected)?);
            for word in &words[1..] {
                points.push(lines.number(word, &expected)?);
            }
        }
        let mut us = vec![];
        for row in 1..=if in_triangles { n } else { 0 } {
            lines.floats(2, &format!("coordinates {row} of {n}"), &mut us)?;
        }
        let mut theta = vec![];
        for row in 1..=THETA {
            lines.floats(1, &format!("parameter {row} of {THETA}"), &mut theta)?;
        }
        lines.end()?;
        Ok(Self {
            model,
            correspondences,
            points,
            us: in_triangles.then_some(us),
            theta,
        })
    }
}
