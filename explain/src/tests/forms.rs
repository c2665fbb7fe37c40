//! What each form of kernel takes, as formulas, as numbers, and in the printed forms.

use super::*;

#[test]
fn a_map_inside_of_a_fold() {
    let norm = |x: Acc<Ix1, f64>| x.map(|x| x * x + 1.0).sum();
    let e = formulas(norm);
    let [kernel] = &e.kernels[..] else {
        panic!("{e}");
    };
    assert_eq!((kernel.kind, kernel.name.as_str()), (Kind::Reduce, "fold"));
    assert_eq!(kernel.inner_space, ["x0.0"]);
    assert_eq!(kernel.flops, Figure::Formula("3*x0.0".into()));
    assert_eq!(kernel.bytes_read, Figure::Formula("8*x0.0".into()));
    assert_eq!(kernel.bytes_written, Figure::Number(8));
    let fused: Vec<_> = kernel.fused.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(fused, ["fold", "map"]);
    assert!(kernel.fused[1].location.contains("forms.rs:7"), "{e}");
    assert_eq!(kernel.tested_loads, []);
    assert_eq!(
        figures(&explained(norm, &[&[1000]]).kernels[0]),
        [3000, 8000, 8]
    );
}

#[test]
fn folds_without_initial_value_combine_once_less() {
    let e = explained(|x: Acc<Ix2, f32>| x.maximum(), &[&[10, 7]]);
    assert_eq!(figures(&e.kernels[0]), [60, 280, 40]);
}

#[test]
fn what_depends_on_the_row_alone_counts_once_a_row() {
    let f = |x: Acc<Ix2, f64>, y: Acc<Ix1, f64>| {
        let ix![_, n] = x.shape();
        x.zip_with(y.replicate(ix![All, n]), |x, y| x * y.exp())
            .sum()
    };
    let e = explained(f, &[&[10, 7], &[10]]);
    let fold = e.kernels.last().unwrap();
    let exponential = 20 * 10;
    // In the fold, or in a kernel of its own: once for each of the ten.
    let flops: u64 = e.kernels.iter().map(|k| k.flops.number().unwrap()).sum();
    assert_eq!((fold.kind, flops), (Kind::Reduce, 70 + 70 + exponential));
}

#[test]
fn matrix_products_count_factors_where_they_are_computed() {
    let product = |a: Acc<Ix2, f64>, b: Acc<Ix2, f64>| {
        let (ix![m, k], ix![n, _]) = (a.shape(), b.shape());
        let rows = a.map(|x| x + 1.0).replicate(ix![All, n, All]);
        rows.zip_with(
            b.backpermute(ix![n, k], |i| i).replicate(ix![m, All, All]),
            |x, y| x * y,
        )
        .sum()
    };
    let e = explained(product, &[&[5, 7], &[11, 7]]);
    assert_eq!(kinds(&e), [Kind::Contract], "{e}");
    let (m, k, n) = (5, 7, 11);
    let flops = 2 * m * n * k + m * k;
    assert_eq!(
        figures(&e.kernels[0]),
        [flops, 8 * (m * k + n * k), 8 * m * n]
    );
    assert_eq!(e.rewrites.get("contract"), Some(&1));
}

#[test]
fn least_sums_count_like_products() {
    let least = |a: Acc<Ix2, f64>, b: Acc<Ix2, f64>| {
        let (ix![m, _], ix![n, _]) = (a.shape(), b.shape());
        let rows = a.replicate(ix![All, n, All]);
        let sums = rows.zip_with(b.replicate(ix![m, All, All]), |x, y| x + y);
        sums.fold(9.0, |x, y| x.min(y))
    };
    let e = explained(least, &[&[5, 7], &[11, 7]]);
    assert_eq!(kinds(&e), [Kind::Contract], "{e}");
    let (m, k, n) = (5, 7, 11);
    assert_eq!(
        figures(&e.kernels[0]),
        [2 * m * n * k, 8 * (m * k + n * k), 8 * m * n]
    );
}

#[test]
fn scans_write_one_more_than_they_read() {
    let e = explained(|x: Acc<Ix1, f64>| x.scanl(0.0, |a, b| a + b), &[&[100]]);
    assert_eq!(kinds(&e), [Kind::Scan]);
    assert_eq!(figures(&e.kernels[0]), [100, 800, 808]);
}

#[test]
fn gathers_read_no_more_than_there_is() {
    let gather = |x: Acc<Ix1, f64>, i: Acc<Ix1, i32>| i.map(|i| x.at(ix![i]));
    let few = explained(gather, &[&[1000], &[10]]);
    assert_eq!(figures(&few.kernels[0]), [0, 40 + 80, 80]);
    let many = explained(gather, &[&[10], &[1000]]);
    assert_eq!(figures(&many.kernels[0]), [0, 4000 + 80, 8000]);
    let [tested] = &many.kernels[0].tested_loads[..] else {
        panic!("{many}");
    };
    assert_eq!(
        (tested.array.as_str(), tested.operation.as_str()),
        ("x0", "at")
    );
    let formula = formulas(gather).kernels[0].bytes_read.to_string();
    assert_eq!(formula, "4*x1.0 + min(8*x0.0, 8*x1.0)");
}

#[test]
fn neighbours_are_read_once() {
    let f = |x: Acc<Ix1, f64>| {
        let ix![n] = x.shape();
        generate(ix![n - 1], |ix![i]| x.at(ix![i]) + x.at(ix![i + 1]))
    };
    let e = explained(f, &[&[10]]);
    assert_eq!(figures(&e.kernels[0]), [9, 80, 72]);
    assert_eq!(formulas(f).kernels[0].index_space, ["x0.0 - 1"]);
}

#[test]
fn scatters_that_add_read_what_they_write() {
    let histogram = |x: Acc<Ix1, i32>| {
        let zeros = fill(ix![10], 0.0f64);
        let ones = x.map(|_| constant(1.0));
        ones.permute(Combine::Add, zeros, |ix![i]| (true, ix![x.at(ix![i])]))
    };
    let e = explained(histogram, &[&[1000]]);
    assert_eq!(kinds(&e), [Kind::Map, Kind::Scatter], "{e}");
    assert_eq!(figures(&e.kernels[1]), [0, 4000 + 80, 80]);
    assert_eq!(reasons(&e), [(0, 1, "permute")]);
}

#[test]
fn permutes_in_place_come_after_who_made_the_array() {
    let f = |x: Acc<Ix1, f64>| {
        let sums = x.scanl1(|a, b| a + b);
        x.permute(Combine::Add, sums, |ix![i]| (true, ix![i / 2]))
            .sum()
    };
    let e = explained(f, &[&[10]]);
    assert_eq!(kinds(&e), [Kind::Scan, Kind::Scatter, Kind::Reduce], "{e}");
    assert_eq!(reasons(&e), [(0, 1, "scan"), (1, 2, "permute")]);
    assert_eq!(memory(&e), [Some(80), Some(80 + 80 + 8)]);
}

#[test]
fn columns_of_one_array_have_its_extents() {
    let f = |x: Acc<Ix1, (f64, f32)>| x.map(|(x, y)| x + y.to::<f64>());
    let e = formulas(f);
    assert_eq!(e.kernels[0].index_space, ["x0.0"]);
    assert_eq!(e.kernels[0].reads, ["x0:0", "x0:1"]);
    assert_eq!(e.kernels[0].bytes_read.to_string(), "12*x0.0");
    assert_eq!(figures(&explained(f, &[&[10]]).kernels[0]), [10, 120, 80]);
}

#[test]
fn what_data_decide_is_not_known() {
    let f = |n: Acc<Ix0, i32>| generate(ix![n.the()], |ix![i]| i.to::<f64>().exp());
    let e = explained(f, &[&[]]);
    assert_eq!(e.kernels[0].flops, Figure::DependsOnData);
    assert_eq!(e.peak_bytes, Figure::DependsOnData);
    let [extent] = &e.extents[..] else {
        panic!("{e}");
    };
    let name = &extent.name;
    assert_eq!((extent.meaning.as_str(), extent.value), ("x0[]", None));
    assert_eq!(
        formulas(f).kernels[0].flops,
        Figure::Formula(format!("20*{name}"))
    );
    let json: serde_json::Value = serde_json::from_str(&e.to_json()).unwrap();
    assert!(json["kernels"][0]["flops"].is_null());
}

#[test]
fn shapes_must_fit() {
    let sum = |x: Acc<Ix2, (f64, f64)>| x.map(|(x, y)| x + y).sum();
    let rank = ExplainError::Rank {
        position: 0,
        expected: 2,
        given: 1,
    };
    assert_eq!(explained_by(sum, Some(&[&[3]])), Err(rank));
    let count = ExplainError::ShapeCount {
        expected: 1,
        given: 2,
    };
    assert_eq!(explained_by(sum, Some(&[&[3, 4], &[3, 4]])), Err(count));
    for shape in [[usize::MAX, 0], [1, 1 << 31]] {
        let extent = ExplainError::Extent {
            position: 0,
            shape: shape.to_vec(),
        };
        assert_eq!(explained_by(sum, Some(&[&shape])), Err(extent));
    }
}

#[test]
fn all_of_it_is_in_the_json_form() {
    let e = explained(
        |x: Acc<Ix1, f64>| x.map(|x| x.exp()).scanl1(|a, b| a + b).sum(),
        &[&[5]],
    );
    let json: serde_json::Value = serde_json::from_str(&e.to_json()).unwrap();
    let kernel = &json["kernels"][1];
    assert_eq!(
        (&kernel["name"], &kernel["kind"]),
        (&"fold".into(), &"reduce".into())
    );
    assert_eq!(
        (&kernel["flops"], &kernel["bytes"]),
        (&5.into(), &48.into())
    );
    assert_eq!(kernel["fused"][0]["name"], "fold");
    assert_eq!(kernel["index_space"].as_array().unwrap().len(), 0);
    assert_eq!(kernel["inner_space"][0], "x0.0");
    assert_eq!(json["boundaries"][0]["reason"]["name"], "scan");
    assert_eq!(
        (&json["temporaries_bytes"], &json["peak_bytes"]),
        (&40.into(), &88.into())
    );
    assert_eq!(json["rewrites"]["delay array read once"], 1);
}

#[test]
fn graphs_have_a_node_for_all_that_is_shown() {
    let e = explained(|x: Acc<Ix1, f64>| x.scanl1(|a, b| a + b).sum(), &[&[5]]);
    let dot = e.to_dot();
    let lines = [
        "\"input x0\" -> k0 [label=\"x0\\n40 B\"];",
        "k0 -> k1 [label=\"A1\\n40 B\", edgetooltip=\"a scan is complete when its kernel ends\"];",
        "k1 -> \"result A2\" [label=\"A2\\n8 B\"];",
    ];
    assert!(lines.iter().all(|line| dot.contains(line)), "{dot}");
    assert!(dot.starts_with("digraph program {\n") && dot.ends_with("}\n"));
}

#[test]
fn text_is_aligned_and_says_why() {
    let text = explained(|x: Acc<Ix1, f64>| x.scanl1(|a, b| a + b).sum(), &[&[5]]).to_string();
    let lines = [
        "  along   [x0.0] = [5]",
        "  0 -> 1  A1  40 B  a scan is complete when its kernel ends",
        "  A2  f64[]      8 B   result",
        "  peak                 88 B",
    ];
    for expected in lines {
        assert!(text.lines().any(|line| line == expected), "{text}");
    }
}
