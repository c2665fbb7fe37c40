//! `mandelbrot` and `heat`.

use super::devices::everywhere;
use cotangent_examples::heat::{self, Plate};
use cotangent_examples::mandelbrot::{self, Picture};

#[test]
fn mandelbrot_agrees() {
    let program = mandelbrot::program().unwrap();
    for (width, height, trips) in [
        (120, 80, 200),
        (7, 3, 50),
        (1, 1, 10),
        (5, 4, 0),
        (5, 4, -1),
    ] {
        let picture = Picture {
            width,
            height,
            trips,
        };
        let expected = mandelbrot::reference(picture);
        everywhere(
            |device| mandelbrot::run(&program, device, picture),
            |found| mandelbrot::difference(found, &expected) <= mandelbrot::TOLERANCE,
        );
    }
}

#[test]
fn mandelbrot_of_no_pixels_is_empty() {
    let program = mandelbrot::program().unwrap();
    for (width, height) in [(0, 5), (5, 0), (0, 0)] {
        let picture = Picture {
            width,
            height,
            trips: 10,
        };
        everywhere(
            |device| mandelbrot::run(&program, device, picture),
            Vec::is_empty,
        );
    }
    let vast = Picture {
        width: 1 << 40,
        height: 1,
        trips: 1,
    };
    let device = cotangent_examples::device::Device::cpu(Some(1)).unwrap();
    let error = mandelbrot::run(&program, &device, vast).unwrap_err();
    assert!(
        error.to_string().starts_with("the width is 1099511627776"),
        "{error}"
    );
}

#[test]
fn mandelbrot_knows_the_set() {
    let trips = mandelbrot::reference(Picture {
        width: 3,
        height: 1,
        trips: 99,
    });
    // c = -1.5, -0.5 and 0.5: the first two are in the set.
    assert_eq!(trips, [99, 99, 5]);
}

#[test]
fn heat_agrees() {
    let program = heat::program().unwrap();
    for (width, height, steps) in [
        (40, 30, 25),
        (1, 1, 3),
        (2, 1, 3),
        (1, 5, 4),
        (9, 9, 0),
        (9, 9, -1),
    ] {
        let start = heat::start(width, height);
        let expected = heat::reference(&start, steps);
        everywhere(
            |device| heat::run(&program, device, &start, steps),
            |found| heat::difference(found, &expected) <= heat::TOLERANCE,
        );
    }
}

#[test]
fn heat_is_not_lost() {
    let total = |plate: &Plate| plate.points.iter().sum::<f64>();
    let start = heat::start(50, 40);
    let end = heat::reference(&start, 200);
    assert!(total(&start) > 10.0);
    assert!((total(&start) - total(&end)).abs() < 1e-9);
    assert!(heat::difference(&start, &end) > 0.1);
}

#[test]
fn no_plate_stays_none() {
    let program = heat::program().unwrap();
    for (width, height) in [(0, 0), (4, 0), (0, 4)] {
        let start = heat::start(width, height);
        let expected = heat::reference(&start, 3);
        everywhere(
            |device| heat::run(&program, device, &start, 3),
            |found| *found == expected,
        );
    }
}
