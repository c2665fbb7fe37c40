//! `newton`, `kmeans`, `pagerank` and `cg`: loops until something is small enough.

use super::devices::everywhere;
use cotangent_examples::newton::{self, Grid};
use cotangent_examples::sparse::Sparse;
use cotangent_examples::{cg, kmeans, pagerank};

#[test]
fn newton_agrees() {
    let program = newton::program().unwrap();
    for (anomalies, eccentricities) in [(50, 40), (1, 1), (3, 100), (0, 4), (4, 0)] {
        let grid = Grid {
            anomalies,
            eccentricities,
        };
        let expected = newton::reference(grid);
        everywhere(
            |device| newton::run(&program, device, grid),
            |found| {
                found.len() == expected.len()
                    && newton::difference(grid, found, &expected) <= newton::TOLERANCE
            },
        );
    }
}

#[test]
fn circles_need_one_trip() {
    let rows = newton::reference(Grid {
        anomalies: 8,
        eccentricities: 2,
    });
    assert!(rows[..8].iter().all(|solution| solution.1 <= 1));
    assert!(rows[8..].iter().all(|solution| solution.1 > 1));
}

#[test]
fn kmeans_agrees() {
    let program = kmeans::program().unwrap();
    for (points, centres, seed) in [
        (500, 5, 1),
        (100, 100, 2),
        (1, 1, 3),
        (3, 7, 4),
        (0, 2, 5),
        (5, 0, 6),
    ] {
        let task = kmeans::task(points, centres, seed);
        let expected = kmeans::reference(&task);
        everywhere(
            |device| kmeans::run(&program, device, &task),
            |found| {
                found.trips == expected.trips
                    && found.owners == expected.owners
                    && kmeans::difference(found, &expected) <= kmeans::TOLERANCE
            },
        );
    }
}

#[test]
fn kmeans_ends_and_stops() {
    let task = kmeans::task(2000, 6, 7);
    let end = kmeans::reference(&task);
    assert!(end.trips > 3 && end.trips < task.trips, "{}", end.trips);
    let program = kmeans::program().unwrap();
    for trips in [2, 0, -1] {
        let few = kmeans::Task {
            trips,
            ..task.clone()
        };
        let expected = kmeans::reference(&few);
        assert_eq!(expected.trips, trips.max(0));
        everywhere(
            |device| kmeans::run(&program, device, &few),
            |found| *found == expected,
        );
    }
}

#[test]
fn pagerank_agrees() {
    let program = pagerank::program().unwrap();
    for (pages, links) in [(300, 8), (1, 0), (1, 3), (20, 0), (0, 1)] {
        let task = pagerank::task(pages, links, 1).unwrap();
        let expected = pagerank::reference(&task);
        assert!(pages == 0 || (expected.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        everywhere(
            |device| pagerank::run(&program, device, &task),
            |found| pagerank::difference(found, &expected) <= pagerank::TOLERANCE,
        );
    }
    let none = pagerank::Task {
        trips: 0,
        ..pagerank::task(4, 2, 1).unwrap()
    };
    everywhere(
        |device| pagerank::run(&program, device, &none),
        |found| found.ranks == [0.25; 4] && found.trips == 0,
    );
}

#[test]
fn cg_solves_dense_systems() {
    let program = cg::dense().unwrap();
    for rows in [60, 1, 2, 0] {
        let task = cg::dense_task(rows);
        assert!(cg::residual(&task, &cg::reference(&task)) <= cg::TOLERANCE);
        everywhere(
            |device| cg::run_dense(&program, device, &task),
            |found| found.x.len() == rows && cg::residual(&task, found) <= cg::TOLERANCE,
        );
    }
}

#[test]
fn cg_solves_sparse_systems() {
    let program = cg::sparse().unwrap();
    for side in [20, 1, 2, 0] {
        let task = cg::laplace_task(side).unwrap();
        let expected = cg::reference(&task);
        assert!(cg::residual(&task, &expected) <= cg::TOLERANCE);
        everywhere(
            |device| cg::run_sparse(&program, device, &task),
            |found| {
                found.trips.abs_diff(expected.trips) <= 2
                    && cg::residual(&task, found) <= cg::TOLERANCE
            },
        );
    }
}

#[test]
fn cg_of_nothing_makes_no_trip() {
    let task = cg::Task {
        right: vec![0.0; 9],
        ..cg::laplace_task(3).unwrap()
    };
    let program = cg::sparse().unwrap();
    everywhere(
        |device| cg::run_sparse(&program, device, &task),
        |found| found.trips == 0 && found.x == [0.0; 9],
    );
}

#[test]
fn sparse_rows_are_read_from_both_sides() {
    let mut matrix = Sparse::new();
    matrix.push_row([(0, 2.0), (2, 3.0)]).unwrap();
    matrix.push_row([]).unwrap();
    assert_eq!(matrix.times(&[1.0, 10.0, 100.0]), [302.0, 0.0]);
    assert_eq!(matrix.starts, [0, 2, 2]);
}
