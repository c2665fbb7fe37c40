//! BA written with cotangent: the residual as a scalar function, its rows of the Jacobian by `gradient_e`.

use super::input::BaInput;
use super::sparse::Csr;
use super::{CAMERA, LOCAL};
use crate::host::{HostFloat, collected};
use cotangent::prelude::*;
use cotangent::{Backend, Cpu, Error, Program, RunMeasures};

/// A vector in space, as an expression.
type Vec3<T> = [Exp<T>; 3];
/// A camera, as an expression.
type Camera<T> = [Exp<T>; CAMERA];

fn dot<T: Float>(x: Vec3<T>, y: Vec3<T>) -> Exp<T> {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn cross<T: Float>(x: Vec3<T>, y: Vec3<T>) -> Vec3<T> {
    [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ]
}

/// `x` rotated about the axis `r` by the angle θ = ‖r‖: x + 2(w·(u×x) + u×(u×x)), where u = r·sin(θ/2)/θ and
/// w = cos(θ/2) are a unit quaternion.
///
/// Right for every angle that is not far beyond all digits. sin(θ/2)/θ and w are functions of θ² without a singularity,
/// and their values at θ² + ε differ from those at θ² by less than ε: so does all that the result and its derivatives
/// have of them, and nothing is divided by an angle that is 0, or whose square is. Where θ² overflows, the results are
/// NaN, and the check says so.
fn rotate<T: HostFloat>(r: Vec3<T>, x: Vec3<T>) -> Vec3<T> {
    let number = |x: f64| constant(T::from_f64(x));
    let angle = (dot(r, r) + number(T::EPSILON)).sqrt();
    let half = angle * number(0.5);
    let (w, scale) = (half.cos(), half.sin() * (1.0 / angle));
    let u = r.map(|r| r * scale);
    let turned = cross(u, x);
    let again = cross(u, turned);
    std::array::from_fn(|i| x[i] + number(2.0) * (again[i] + w * turned[i]))
}

/// Where `camera` sees `point`, in pixels.
fn project<T: HostFloat>(camera: Camera<T>, point: Vec3<T>) -> [Exp<T>; 2] {
    let [r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2] = camera;
    let local = rotate([r0, r1, r2], [point[0] - c0, point[1] - c1, point[2] - c2]);
    let inverse = 1.0 / local[2];
    let (x, y) = (local[0] * inverse, local[1] * inverse);
    let square = x * x + y * y;
    let scale = focal * (1.0 + k1 * square + k2 * square * square);
    [x * scale + u0, y * scale + v0]
}

/// Observations: indices of camera and point, weight, feature.
pub type Observations<T> = Acc<Ix1, (i32, i32, T, [T; 2])>;
/// Cameras, points and observations.
pub type Inputs<T> = (Acc<Ix1, [T; CAMERA]>, Acc<Ix1, [T; 3]>, Observations<T>);
/// The host's side of [`Inputs`].
pub type HostInputs<T> = (
    Array<Ix1, [T; CAMERA]>,
    Array<Ix1, [T; 3]>,
    Array<Ix1, (i32, i32, T, [T; 2])>,
);

/// Residuals \[p, 2] and weight errors \[p].
pub type Errors<T> = (Acc<Ix2, T>, Acc<Ix1, T>);

fn residuals<T: HostFloat>(
    cameras: Acc<Ix1, [T; CAMERA]>,
    points: Acc<Ix1, [T; 3]>,
    observations: Observations<T>,
) -> Errors<T> {
    let errors = observations.map(|(camera, point, weight, [u, v])| {
        let [x, y] = project(cameras.at(ix![camera]), points.at(ix![point]));
        [weight * (x - u), weight * (y - v)]
    });
    (
        errors.unpack(),
        observations.map(|(_, _, weight, _)| 1.0 - weight * weight),
    )
}

/// The derivative of residual `row` of one observation by camera, point and weight.
fn row<T: HostFloat>(
    row: usize,
    camera: Camera<T>,
    point: Vec3<T>,
    weight: Exp<T>,
    feature: [Exp<T>; 2],
) -> [Exp<T>; LOCAL] {
    let residual = |(camera, point, weight): (Camera<T>, Vec3<T>, Exp<T>)| {
        weight * (project(camera, point)[row] - feature[row])
    };
    let (camera, point, weight) = gradient_e(residual, (camera, point, weight));
    std::array::from_fn(|i| match i {
        i if i < CAMERA => camera[i],
        i if i < CAMERA + 3 => point[i - CAMERA],
        _ => weight,
    })
}

/// The Jacobian in compressed sparse rows: its values \[31p], first the 30 of each observation's residuals and
/// then the weight errors'; its row starts \[3p + 1]; and the columns of the values.
pub type Jacobian<T> = (Acc<Ix1, T>, Acc<Ix1, i32>, Acc<Ix1, i32>);

fn jacobian<T: HostFloat>(
    cameras: Acc<Ix1, [T; CAMERA]>,
    points: Acc<Ix1, [T; 3]>,
    observations: Observations<T>,
) -> Jacobian<T> {
    let values = observations.map(|(camera, point, weight, feature)| {
        let (camera, point) = (cameras.at(ix![camera]), points.at(ix![point]));
        [0, 1].map(|i| row(i, camera, point, weight, feature))
    });
    let (ix![n], ix![m], ix![p]) = (cameras.shape(), points.shape(), observations.shape());
    let (local, first_point) = (LOCAL as i32, CAMERA as i32 * n);
    let first_weight = first_point + 3 * m;
    let starts = generate(ix![3 * p + 1], |ix![row]| {
        cond(row.le(2 * p), local * row, 2 * local * p + (row - 2 * p))
    });
    let columns = generate(ix![p], |ix![i]| {
        let (camera, point, _, _) = observations.at(ix![i]);
        let row = row_columns(camera, first_point + 3 * point, first_weight + i);
        [row, row]
    });
    let last_columns = generate(ix![p], |ix![i]| first_weight + i);
    let weight_values = observations.map(|(_, _, weight, _)| -2.0 * weight);
    (
        flatten_rows(values).append(weight_values),
        starts,
        flatten_rows(columns).append(last_columns),
    )
}

/// The columns of one residual: those of its camera, its point and its weight.
fn row_columns(camera: Exp<i32>, point: Exp<i32>, weight: Exp<i32>) -> [Exp<i32>; LOCAL] {
    std::array::from_fn(|i| match i as i32 {
        i if i < CAMERA as i32 => CAMERA as i32 * camera + i,
        i if i < CAMERA as i32 + 3 => point + (i - CAMERA as i32),
        _ => weight,
    })
}

/// The values of pairs of rows, in a row.
fn flatten_rows<T: Scalar>(values: Acc<Ix1, [[T; LOCAL]; 2]>) -> Acc<Ix1, T> {
    values
        .map(|[first, second]| -> [Exp<T>; 2 * LOCAL] {
            std::array::from_fn(|i| {
                if i < LOCAL {
                    first[i]
                } else {
                    second[i - LOCAL]
                }
            })
        })
        .unpack()
        .flatten()
}

/// The objective's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// Weighted reprojection errors, \[p, 2].
    pub errors: Vec<f64>,
    /// Weight errors, \[p].
    pub weight_errors: Vec<f64>,
}

impl Residuals {
    /// The sum of the squares of all.
    pub fn sum_of_squares(&self) -> f64 {
        self.errors
            .iter()
            .chain(&self.weight_errors)
            .map(|e| e * e)
            .sum()
    }
}

/// The program of the residuals and weight errors.
///
/// # Errors
/// Where the compiler fails.
pub fn residuals_program<T: HostFloat>() -> Result<Program<Inputs<T>, Errors<T>>, Error> {
    cotangent::compile(residuals::<T>)
}

/// The program of the Jacobian.
///
/// # Errors
/// Where the compiler fails.
pub fn jacobian_program<T: HostFloat>() -> Result<Program<Inputs<T>, Jacobian<T>>, Error> {
    cotangent::compile(jacobian::<T>)
}

/// Residuals and Jacobian, compiled for one backend.
pub struct Model<T: Float, B = Cpu> {
    backend: B,
    residuals: Program<Inputs<T>, Errors<T>>,
    jacobian: Program<Inputs<T>, Jacobian<T>>,
}

/// An input on its way into the programs.
pub struct Data<T: Float> {
    arrays: HostInputs<T>,
}

impl<T: Float> Data<T> {
    /// The arrays, as both programs take them.
    pub fn arrays(&self) -> &HostInputs<T> {
        &self.arrays
    }
}

/// Converts an input.
///
/// # Errors
/// Where an extent exceeds the index type, or there is no memory for the arrays.
pub fn data<T: HostFloat>(input: &BaInput) -> Result<Data<T>, Error> {
    let (n, m, p) = input.sizes();
    let observation = |i: usize| {
        let (camera, point) = input.observations[i];
        (
            camera,
            point,
            T::from_f64(input.weights[i]),
            input.features[i].map(T::from_f64),
        )
    };
    let arrays = (
        Array::vector(collected(
            n,
            input.cameras.iter().map(|c| c.map(T::from_f64)),
        )?)?,
        Array::vector(collected(
            m,
            input.points.iter().map(|x| x.map(T::from_f64)),
        )?)?,
        Array::vector(collected(p, (0..p).map(observation))?)?,
    );
    Ok(Data { arrays })
}

impl<T: HostFloat, B: Backend> Model<T, B> {
    /// Compiles both programs.
    ///
    /// # Errors
    /// Where the compiler fails.
    pub fn compile(backend: B) -> Result<Self, Error> {
        let (residuals, jacobian) = (residuals_program()?, jacobian_program()?);
        residuals.prepare(&backend)?;
        jacobian.prepare(&backend)?;
        Ok(Self {
            backend,
            residuals,
            jacobian,
        })
    }

    /// The program of the residuals and weight errors.
    pub fn residuals_program(&self) -> &Program<Inputs<T>, Errors<T>> {
        &self.residuals
    }

    /// The program of the Jacobian, to be looked at or run by another backend.
    pub fn jacobian_program(&self) -> &Program<Inputs<T>, Jacobian<T>> {
        &self.jacobian
    }

    /// Converts an input.
    ///
    /// # Errors
    /// Where an extent exceeds the index type, or there is no memory for the arrays.
    pub fn data(&self, input: &BaInput) -> Result<Data<T>, Error> {
        data(input)
    }

    /// The residuals.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn residuals(&self, data: &Data<T>) -> Result<Residuals, Error> {
        let (errors, weight_errors) = self.residuals.run(&self.backend, data.arrays.clone())?;
        Ok(Residuals {
            errors: T::elements(errors)?,
            weight_errors: T::elements(weight_errors)?,
        })
    }

    /// Computes the residuals and leaves them where they are.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn run_residuals(&self, data: &Data<T>) -> Result<(), Error> {
        self.residuals
            .run(&self.backend, data.arrays.clone())
            .map(drop)
    }

    /// The Jacobian.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn jacobian(&self, data: &Data<T>) -> Result<Csr, Error> {
        Ok(self.measured_jacobian(data)?.0)
    }

    /// The Jacobian, and what computing it took.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn measured_jacobian(&self, data: &Data<T>) -> Result<(Csr, RunMeasures), Error> {
        let columns = CAMERA * data.arrays.0.shape()[0]
            + 3 * data.arrays.1.shape()[0]
            + data.arrays.2.shape()[0];
        let (jacobian, measures) = self
            .jacobian
            .run_measured(&self.backend, data.arrays.clone())?;
        let (values, rows, cols) = jacobian;
        let jacobian = Csr {
            columns,
            rows: rows.try_into_vec()?,
            cols: cols.try_into_vec()?,
            values: T::elements(values)?,
        };
        Ok((jacobian, measures))
    }

    /// Computes the Jacobian and leaves it where it is.
    ///
    /// # Errors
    /// Where the program fails.
    pub fn run_jacobian(&self, data: &Data<T>) -> Result<(), Error> {
        self.jacobian
            .run(&self.backend, data.arrays.clone())
            .map(drop)
    }
}
