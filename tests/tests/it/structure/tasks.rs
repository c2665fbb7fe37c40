//! The tasks of ADBench.

use super::*;
use cotangent_adbench::ba::model as ba;
use cotangent_adbench::gmm::model as gmm;

fn gmm_inputs() -> <gmm::Inputs<f64> as Arrays>::Host {
    let (n, d, k) = (9, 3, 2);
    let icf = matrix(k, d * (d + 1) / 2);
    (
        vector(k),
        matrix(k, d),
        icf,
        matrix(n, d),
        Array::scalar((0.5, 0.25, 1.0)),
    )
}

#[test]
fn gmm_objective() {
    let program = gmm::objective_program::<f64>().unwrap();
    agrees(&program, gmm_inputs());
    becomes(
        &program.explain().unwrap(),
        &[
            "reduce fold: backpermute",
            "map map: backpermute",
            "map generate",
            "reduce fold1",
            "reduce fold: replicate zip_with map",
            "reduce fold: map reshape",
            "reduce fold: backpermute map reshape",
            "reduce fold: backpermute reshape",
            "contract fold*: replicate replicate backpermute replicate zip_with replicate zip_with",
            "reduce fold*: map",
            "map zip_with*: zip_with replicate",
            "reduce fold1*",
            "reduce fold*: replicate zip_with map",
            "reduce fold*: zip_with",
            "map zip_with: zip_with zip_with zip_with zip_with",
        ],
        1,
    );
}

#[test]
fn gmm_gradient() {
    let program = gmm::gradient_program::<f64>().unwrap();
    agrees(&program, gmm_inputs());
    becomes(
        &program.explain().unwrap(),
        &[
            "reduce fold: backpermute",
            "map map: backpermute",
            "map generate",
            "reduce fold1",
            "reduce fold: replicate zip_with map",
            "contract fold*: replicate replicate backpermute replicate zip_with replicate zip_with",
            "reduce fold*: map",
            "map zip_with*: zip_with replicate",
            "reduce fold1*",
            "reduce fold*: replicate zip_with map",
            "map zip_with*: replicate zip_with map replicate",
            "reduce fold*: backpermute",
            "contract fold*: replicate backpermute replicate zip_with replicate map replicate zip_with replicate zip_with backpermute",
            "contract fold*: replicate map replicate zip_with replicate zip_with backpermute",
            "contract fold: map backpermute",
            "map generate",
            "map zip_with: replicate zip_with generate zip_with replicate zip_with",
            "map zip_with: backpermute replicate reshape zip_with generate generate map replicate reshape replicate backpermute zip_with generate",
        ],
        1,
    );
}

fn ba_inputs() -> <ba::Inputs<f64> as Arrays>::Host {
    let numbers = |n: usize, from: usize| numbers(n + from)[from..].to_vec();
    let cameras = [numbers(11, 0), numbers(11, 40)].map(|c| c.try_into().unwrap());
    let points = [numbers(3, 5), numbers(3, 9), numbers(3, 20)].map(|p| p.try_into().unwrap());
    let observations = [(0, 1), (1, 2), (1, 0), (0, 0)].map(|(c, p)| (c, p, 0.5, [0.25, -0.75]));
    (
        Array::vector(cameras.to_vec()).unwrap(),
        Array::vector(points.to_vec()).unwrap(),
        Array::vector(observations.to_vec()).unwrap(),
    )
}

#[test]
fn ba_residuals() {
    let program = ba::residuals_program::<f64>().unwrap();
    agrees(&program, ba_inputs());
    becomes(
        &program.explain().unwrap(),
        &["map unpack: zip_with map"],
        0,
    );
}

#[test]
fn ba_jacobian() {
    let program = ba::jacobian_program::<f64>().unwrap();
    agrees(&program, ba_inputs());
    becomes(
        &program.explain().unwrap(),
        &[
            "map generate",
            "map unpack: zip_with map append generate generate append",
        ],
        0,
    );
}
