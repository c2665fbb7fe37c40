//! Hand tracking written with cotangent: residuals by combinators, the Jacobian in forward mode.
//!
//! The Jacobian has as many rows as there are measured coordinates, and 26 columns: forward mode takes one pass for each
//! column. That a row depends on its own two coordinates alone takes two more, one for each with all rows at once.

use super::input::HandInput;
use super::{BONES, angles};
use crate::host::HostFloat;
use cotangent::prelude::*;
use cotangent::{Backend, Cpu, Error, Program};
use std::array::from_fn;

/// Three rows of four numbers: a linear map and a translation.
type Transform<T> = [T; 12];

/// The hand at rest: for each bone the one that it is joined to (-1 if it is the first), the parameters that are its angles
/// (-1 if it has none), where it is in the other's coordinates, and the inverse of where it is; for each point of the skin its
/// position, and its weights \[v, bones].
pub type Hand<T> = (
    Acc<Ix1, i32>,
    Acc<Ix1, [i32; 2]>,
    Acc<Ix1, Transform<T>>,
    Acc<Ix1, Transform<T>>,
    Acc<Ix1, [T; 3]>,
    Acc<Ix2, T>,
);

/// The part of a [`Hand`] that is about bones.
type Bones<T> = (
    Acc<Ix1, i32>,
    Acc<Ix1, [i32; 2]>,
    Acc<Ix1, Transform<T>>,
    Acc<Ix1, Transform<T>>,
);

/// What was measured: the points, and which points of the skin each is made of, with coordinates.
pub type Measured<T> = (Acc<Ix1, [T; 3]>, Acc<Ix1, [i32; 3]>);

/// What is differentiated by: the parameters, and the coordinates in triangles.
pub type Pose<T> = (Acc<Ix1, T>, Acc<Ix1, [T; 2]>);

/// What the programs take: the pose, the coordinates in triangles, the hand, what was measured.
pub type Inputs<T> = (Acc<Ix1, T>, Acc<Ix1, [T; 2]>, Hand<T>, Measured<T>);

fn composed<T: Float>(a: Transform<Exp<T>>, b: Transform<Exp<T>>) -> Transform<Exp<T>> {
    from_fn(|at| {
        let (i, j) = (at / 4, at % 4);
        let product = |k: usize| a[4 * i + k] * b[4 * k + j];
        let sum = product(0) + product(1) + product(2);
        if j == 3 { sum + a[4 * i + 3] } else { sum }
    })
}

/// A turn about the first axis, then the third one.
fn turned<T: Float>(first: Exp<T>, third: Exp<T>) -> Transform<Exp<T>> {
    let zero = number(0.0);
    let (s, c, z, w) = (first.sin(), first.cos(), third.sin(), third.cos());
    [
        w,
        -z * c,
        z * s,
        zero,
        z,
        w * c,
        -w * s,
        zero,
        zero,
        s,
        c,
        zero,
    ]
}

fn number<T: Float>(x: f64) -> Exp<T> {
    constant(T::from_f64(x))
}

/// The rotation about an axis by its length; none where that is less than 1e-4.
fn rotation<T: Float>(axis: [Exp<T>; 3]) -> [Exp<T>; 9] {
    let squares = axis.map(|x| x * x);
    let squares = squares[0] + squares[1] + squares[2];
    let is_rotated = squares.ge(1e-8);
    let angle = cond(is_rotated, squares, 1.0).sqrt();
    let (sin, cos) = (angle.sin(), angle.cos());
    let [x, y, z] = axis.map(|x| x / angle);
    let diagonal = |x: Exp<T>| x * x + (1.0 - x * x) * cos;
    let beside = |x: Exp<T>, y: Exp<T>| x * y * (1.0 - cos);
    let rotated = [
        diagonal(x),
        beside(x, y) - z * sin,
        beside(x, z) + y * sin,
        beside(x, y) + z * sin,
        diagonal(y),
        beside(y, z) - x * sin,
        beside(x, z) - y * sin,
        beside(y, z) + x * sin,
        diagonal(z),
    ];
    let identity = |at: usize| number(if at.is_multiple_of(4) { 1.0 } else { 0.0 });
    from_fn(|at| cond(is_rotated, rotated[at], identity(at)))
}

/// What moves the points of each bone from where they are at rest. Bones are joined in chains of at most `depth`.
fn transforms<T: Float>(
    theta: Acc<Ix1, T>,
    (parents, angles, relative, inverse): Bones<T>,
    depth: usize,
) -> Acc<Ix1, Transform<T>> {
    let angle = |at: Exp<i32>| cond(at.ge(0), theta.at(ix![at]), 0.0);
    let relative = relative.zip_with(angles, |at, [first, third]| {
        composed(at, turned(angle(first), angle(third)))
    });
    // After as many rounds as the chain to a bone is long, its transform is that of the whole chain.
    let joined = (1..depth).fold(relative, |absolute, _| {
        relative.zip_with(parents, |at, parent| {
            let above = absolute.at(ix![parent.max(0)]);
            let joined = composed(above, at);
            from_fn::<_, 12, _>(|k| cond(parent.ge(0), joined[k], at[k]))
        })
    });
    joined.zip_with(inverse, composed)
}

/// The points of the skin in a pose.
fn skin<T: Float>(
    theta: Acc<Ix1, T>,
    (parents, angles, relative, inverse, positions, weights): Hand<T>,
    depth: usize,
) -> Acc<Ix1, [T; 3]> {
    let bones = (parents, angles, relative, inverse);
    let by_bone = transforms(theta, bones, depth).unpack().transpose();
    let ix![vertices, _] = weights.shape();
    let blended = weights
        .replicate(ix![All, 12, All])
        .zip_with(by_bone.replicate(ix![vertices, All, All]), |w, t| w * t)
        .sum();
    let axis = from_fn::<_, 3, _>(|k| theta.at(ix![k as i32]));
    let (global, moved) = (unit(rotation(axis)), theta);
    generate(ix![vertices], |ix![v]| {
        let at_rest = positions.at(ix![v]);
        let posed = from_fn::<_, 3, _>(|i| {
            let entry = |k: usize| blended.at(ix![v, (4 * i + k) as i32]);
            let terms = from_fn::<_, 3, _>(|k| entry(k) * at_rest[k]);
            terms[0] + terms[1] + terms[2] + entry(3)
        });
        let global = global.the();
        from_fn::<_, 3, _>(|i| {
            let terms = from_fn::<_, 3, _>(|k| global[3 * i + k] * posed[k]);
            terms[0] + terms[1] + terms[2] + moved.at(ix![3 + i as i32])
        })
    })
}

/// The residuals (see [`reference`](super::reference)), \[n, 3].
pub fn residuals<T: Float>(
    (theta, us): Pose<T>,
    (hand, (points, corners)): (Hand<T>, Measured<T>),
    kind: Kind,
) -> Acc<Ix2, T> {
    let skin = skin(theta, hand, kind.depth);
    let apart =
        |measured: [Exp<T>; 3], at: [Exp<T>; 3]| from_fn::<_, 3, _>(|j| measured[j] - at[j]);
    let rows: Acc<Ix1, [T; 3]> = match kind.in_triangles {
        false => points.zip_with(corners, |measured, [at, ..]| {
            apart(measured, skin.at(ix![at]))
        }),
        true => points.zip_with(corners.zip(us), |measured, (corners, [first, second])| {
            let parts = [first, second, 1.0 - first - second];
            let corners = corners.map(|at| skin.at(ix![at]));
            let at = from_fn(|j| {
                parts[0] * corners[0][j] + parts[1] * corners[1][j] + parts[2] * corners[2][j]
            });
            apart(measured, at)
        }),
    };
    rows.unpack()
}

/// The Jacobian of [`residuals`], \[n, 3, columns].
pub fn jacobian<T: Float>(
    (theta, us): Pose<T>,
    given: (Hand<T>, Measured<T>),
    kind: Kind,
) -> Acc<Ix3, T> {
    let by_theta = jacobian_forward(|theta| residuals((theta, us), given, kind), theta);
    if !kind.in_triangles {
        return by_theta;
    }
    let along = |k: usize| {
        let direction = us.map(move |_| from_fn::<_, 2, _>(|at| number(f64::from(at == k))));
        jvp_a(|us| residuals((theta, us), given, kind), us, direction).1
    };
    let (first, second) = (along(0), along(1));
    let ix![n, three, columns] = by_theta.shape();
    generate(ix![n, three, columns + 2], |ix![i, j, column]| {
        let of_theta = || by_theta.at(ix![i, j, column - 2]);
        let own = cond(column.eq_(0), first.at(ix![i, j]), second.at(ix![i, j]));
        cond(column.lt(2), own, of_theta())
    })
}

/// What a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Whether triangles were measured, with coordinates in them, not points of the skin.
    pub in_triangles: bool,
    /// How many bones a chain has at most.
    pub depth: usize,
}

impl Kind {
    /// What an input needs.
    pub fn of(input: &HandInput) -> Self {
        let mut depths: Vec<usize> = vec![];
        for bone in &input.model.bones {
            depths.push(1 + bone.parent.map_or(0, |parent| depths[parent]));
        }
        Self {
            in_triangles: input.us.is_some(),
            depth: depths.into_iter().max().unwrap_or(1),
        }
    }
}

/// The program of the residuals.
///
/// # Errors
/// Where the compiler fails.
pub fn residuals_program<T: Float>(kind: Kind) -> Result<Program<Inputs<T>, Acc<Ix2, T>>, Error> {
    cotangent::compile(
        move |theta: Acc<Ix1, T>, us: Acc<Ix1, [T; 2]>, hand: Hand<T>, measured: Measured<T>| {
            residuals((theta, us), (hand, measured), kind)
        },
    )
}

/// The program of the Jacobian.
///
/// # Errors
/// Where the compiler fails.
pub fn jacobian_program<T: Float>(kind: Kind) -> Result<Program<Inputs<T>, Acc<Ix3, T>>, Error> {
    cotangent::compile(
        move |theta: Acc<Ix1, T>, us: Acc<Ix1, [T; 2]>, hand: Hand<T>, measured: Measured<T>| {
            jacobian((theta, us), (hand, measured), kind)
        },
    )
}

/// Residuals and Jacobian, compiled for one backend and a kind of input.
pub struct Model<T: Float, B = Cpu> {
    backend: B,
    residuals: Program<Inputs<T>, Acc<Ix2, T>>,
    jacobian: Program<Inputs<T>, Acc<Ix3, T>>,
}

/// Rows of `N` numbers, converted.
fn rows<T: HostFloat, const N: usize>(values: &[f64]) -> Result<Array<Ix1, [T; N]>, Error> {
    let rows = values.chunks_exact(N);
    let rows = rows.map(|row| from_fn(|k| T::from_f64(row[k])));
    Ok(Array::vector(rows.collect())?)
}

/// Converts an input.
///
/// # Errors
/// Where an extent exceeds the index type, or there is no memory for the arrays.
pub fn data<T: HostFloat>(input: &HandInput) -> Result<<Inputs<T> as Arrays>::Host, Error> {
    let model = &input.model;
    let number = |at: Option<usize>| at.map_or(-1, |at| at as i32);
    let bones = model.bones.iter();
    let parents = bones.clone().map(|bone| number(bone.parent)).collect();
    let angles = (0..BONES).map(|bone| angles(bone).map(number)).collect();
    let relative: Vec<f64> = bones
        .clone()
        .flat_map(|bone| bone.relative[..12].to_vec())
        .collect();
    let inverse: Vec<f64> = bones.flat_map(|bone| bone.inverse[..12].to_vec()).collect();
    let corners = input.correspondences.iter().map(|&at| match input.us {
        Some(_) => model.triangles[at].map(|corner| corner as i32),
        None => [at as i32; 3],
    });
    let hand = (
        Array::vector(parents)?,
        Array::vector(angles)?,
        rows(&relative)?,
        rows(&inverse)?,
        rows(&model.positions)?,
        Array::from_vec([model.vertices(), BONES], T::from_host(&model.weights)?)?,
    );
    Ok((
        Array::vector(T::from_host(&input.theta)?)?,
        rows(input.us.as_deref().unwrap_or_default())?,
        hand,
        (rows(&input.points)?, Array::vector(corners.collect())?),
    ))
}

impl<T: HostFloat, B: Backend> Model<T, B> {
    /// Compiles both programs.
    ///
    /// # Errors
    /// Where the compiler fails.
    pub fn compile(kind: Kind, backend: B) -> Result<Self, Error> {
        let (residuals, jacobian) = (residuals_program(kind)?, jacobian_program(kind)?);
        residuals.prepare(&backend)?;
        jacobian.prepare(&backend)?;
        Ok(Self {
            backend,
            residuals,
            jacobian,
        })
    }

    /// The residuals, \[n, 3].
    ///
    /// # Errors
    /// Where the program fails.
    pub fn residuals(&self, input: &HandInput) -> Result<Vec<f64>, Error> {
        let residuals = self.residuals.run(&self.backend, data(input)?)?;
        T::elements(residuals)
    }

    /// The Jacobian, \[n, 3, [`columns`](HandInput::columns)].
    ///
    /// # Errors
    /// Where the program fails.
    pub fn jacobian(&self, input: &HandInput) -> Result<Vec<f64>, Error> {
        let jacobian = self.jacobian.run(&self.backend, data(input)?)?;
        T::elements(jacobian)
    }
}
