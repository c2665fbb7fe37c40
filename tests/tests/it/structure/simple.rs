//! Programs of one operation or two: producers, movements, scans, scatters, conditionals, tuples.

use super::*;

type Pairs = Acc<Ix1, (f64, f64)>;

programs! {
    map(x: Vector) = x.map(|x| x * 2.0); on vector(5) => ["map map"], 0;
    map_of_map(x: Vector) = x.map(|x| x.exp()).map(|x| x.sin()); on vector(5) => ["map map: map"], 0;
    zip_with(x: Vector, y: Vector) = x.zip_with(y, |x, y| x * y); on (vector(5), vector(4)) => ["map zip_with"], 0;
    a_x_plus_y(a: Scalar, x: Vector, y: Vector) = x.zip_with(y, |x, y| a.the() * x + y);
        on (Array::scalar(0.5), vector(5), vector(5)) => ["map zip_with"], 0;
    three_zipped(x: Vector, y: Vector, z: Vector) = x.zip_with3(y, z, |x, y, z| x * y + z);
        on (vector(5), vector(5), vector(5)) => ["map zip_with"], 0;
    zip(x: Vector, y: Vector) = x.zip(y); on (vector(5), vector(5)) => [], 0;
    map_of_zip(x: Vector, y: Vector) = x.zip(y).map(|(x, y)| (x + y, x - y)); on (vector(5), vector(5))
        => ["map zip_with"], 0;
    unzip(x: Pairs) = { let (x, y) = x.unzip(); x.zip_with(y, |x, y| x / y) };
        on Array::vector(vec![(1.0, 2.0), (3.0, -4.0)]).unwrap() => ["map zip_with"], 0;
    enumerate(x: Vector) = x.enumerate(); on vector(5) => ["map generate"], 0;
    generate_table(n: Acc<Ix0, i32>) = generate(ix![n.the(), n.the()], |ix![i, j]| (i * j).to::<f64>());
        on Array::scalar(4) => ["map generate"], 0;
    constant(n: Acc<Ix0, i32>) = fill(ix![n.the()], 1.5); on Array::scalar(4) => ["map generate"], 0;
    embedded(x: Vector) = x.zip_with(use_(&vector(5)), |x, y| x + y); on vector(5) => ["map zip_with"], 0;
    replicated(x: Vector) = x.replicate(ix![3, All]); on vector(5) => ["map replicate"], 0;
    map_of_replicate(x: Vector) = x.replicate(ix![All, 3]).map(|x| x + 1.0); on vector(5) => ["map map: replicate"], 0;
    slice(x: Matrix) = x.slice(ix![All, 1]); on matrix(3, 4) => ["map slice"], 0;
    slice_of_map(x: Matrix) = x.map(|x| x.exp()).slice(ix![2, All]); on matrix(3, 4) => ["map slice: map"], 0;
    backpermute(x: Vector) = x.backpermute(ix![x.size() * 2], |ix![i]| ix![i / 2]); on vector(5)
        => ["map backpermute"], 0;
    reverse_of_map(x: Vector) = x.map(|x| x.exp()).reverse(); on vector(5) => ["map backpermute: map"], 0;
    transpose_of_zip(x: Matrix, y: Matrix) = x.zip_with(y, |x, y| x + y).transpose();
        on (matrix(3, 4), matrix(3, 4)) => ["map backpermute: zip_with"], 0;
    reshape(x: Matrix) = x.reshape(ix![2, 6]); on matrix(3, 4) => [], 0;
    map_of_flatten(x: Matrix) = x.flatten().map(|x| x.abs()); on matrix(3, 4) => ["map map"], 0;
    unpack(x: Vector) = x.map(|x| [x, x * x, x * x * x]).unpack(); on vector(5) => ["map unpack: map"], 0;
    neighbours(x: Vector) = generate(ix![x.size() - 2],
        |ix![i]| (x.at(ix![i]) + x.at(ix![i + 2])) / 2.0 - x.at(ix![i + 1]));
        on vector(6) => ["map generate"], 0;
    outer_product(x: Vector, y: Vector) = x.replicate(ix![All, y.size()])
        .zip_with(y.replicate(ix![x.size(), All]), |x, y| x * y); on (vector(3), vector(4))
        => ["map zip_with: replicate replicate"], 0;
    two_results(x: Vector) = (x.map(|x| x.sin()), x.map(|x| x.cos())); on vector(5) => ["map map: map"], 0;
    result_and_its_map(x: Vector) = { let y = x.map(|x| x.exp()); (y, y.map(|y| y.sqrt())) }; on vector(5)
        => ["map map: map"], 0;
    scanl(x: Vector) = x.scanl(0.0, |a, b| a + b); on vector(5) => ["scan scanl"], 0;
    scanr1(x: Vector) = x.scanr1(|a, b| a.max(b)); on vector(5) => ["scan scanr1"], 0;
    map_scan_map(x: Vector) = x.map(|x| x.abs()).scanl1(|a, b| a * b).map(|x| x.sqrt()); on vector(5)
        => ["scan scanl1: map", "map map"], 0;
    scan_of_scan(x: Vector) = x.scanl1(|a, b| a + b).scanl1(|a, b| a + b); on vector(5)
        => ["scan scanl1", "scan scanl1"], 0;
    scan_of_rows(x: Matrix) = x.scanl(0.0, |a, b| a + b); on matrix(3, 4) => ["scan scanl"], 0;
    scan_of_pairs(x: Vector) = x.map(|x| (x, x)).scanl1(|(s, m), (x, y)| (s + x, m.max(y))); on vector(5)
        => ["scan scanl1"], 0;
    moving_average(x: Vector) = {
        let sums = x.scanl(0.0, |a, b| a + b);
        generate(ix![x.size() - 2], |ix![i]| (sums.at(ix![i + 3]) - sums.at(ix![i])) / 3.0)
    }; on vector(6) => ["scan scanl", "map generate"], 0;
    permute(x: Vector, to: Acc<Ix1, i32>) = x.permute(Combine::Overwrite, fill(ix![4], 0.0), |ix![i]| {
        let to = to.at(ix![i]);
        (to.ge(0), ix![to])
    }); on (vector(5), ints(&[2, -1, 3, 2, 0])) => ["map permute: generate", "scatter permute"], 0;
    permute_onto_an_input(x: Vector, onto: Vector, to: Acc<Ix1, i32>) =
        x.map(|x| x.exp()).scatter(Combine::Add, onto, to);
        on (vector(5), vector(4), ints(&[2, 1, 3, 2, 0])) => ["map permute", "scatter permute: map"], 0;
    histogram(x: Vector) = {
        let bins = x.map(|x| ((x + 1.0) * 4.0).to::<i32>());
        x.map(|_| 1.0).scatter(Combine::Add, fill(ix![8], 0.0), bins)
    }; on vector(20) => ["map permute: generate", "scatter permute: map generate"], 0;
    weighted_histogram(bins: Acc<Ix1, i32>, weights: Vector) = weights.map(|w| w.exp())
        .scatter(Combine::Add, fill(ix![4], 0.0), bins); on (ints(&[0, 3, 1, 3]), vector(4))
        => ["map permute: generate", "scatter permute: map"], 0;
    /// A gather would do: that shifts are inverted is known of sums only, those that derivatives make.
    permute_by_a_shift(x: Vector) = {
        let n = x.size();
        x.permute(Combine::Overwrite, fill(ix![n], 0.0), |ix![i]| ((i + 1).lt(n), ix![i + 1]))
    }; on vector(5) => ["map permute: generate", "scatter permute"], 0;
    append(x: Vector, y: Vector) = x.append(y); on (vector(3), vector(4)) => ["map append", "map append"], 0;
    append_of_maps(x: Vector, y: Vector) = x.map(|x| x.exp()).append(y.map(|y| y.sin())); on (vector(3), vector(4))
        => ["map append: map", "map append: map"], 0;
    sum_of_append(x: Vector, y: Vector) = x.append(y).sum(); on (vector(3), vector(4))
        => ["map append", "map append", "reduce fold"], 0;
    acond_of_maps(x: Vector) = acond(x.size().gt(3), x.map(|x| x.exp()), x.map(|x| x.sin())); on vector(5)
        => ["map map", "map map"], 0;
    acond_of_inputs(x: Vector, y: Vector) = acond(x.size().gt(y.size()), x, y).map(|x| x + 1.0);
        on (vector(5), vector(4)) => ["map map"], 0;
    acond_on_a_sum(x: Vector) = acond(x.sum().the().gt(0.0), x, x.reverse()).sum(); on vector(5)
        => ["reduce fold", "map backpermute", "reduce fold"], 0;
}
