//! All cases run, on few elements: on whatever device there is, if there is one.

use super::sizes::Sizes;
use super::{Bench, Options};
use cotangent::{Gpu, GpuError};
use std::collections::BTreeSet;

fn options(filter: &str) -> Options {
    Options {
        filter: Some(filter.to_owned()),
        seconds: 0.0,
        threads: Some(1),
        ..Options::default()
    }
}

/// The sections and cases in a CSV file, each once.
fn cases(csv: &str) -> BTreeSet<String> {
    let case = |line: &str| {
        let (_device, rest) = line.split_once("\",").unwrap();
        let [section, case, ty, _quantity, value] = rest.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert!(value.parse::<f64>().unwrap().is_finite(), "{line}");
        format!("{section} {} {ty}", case.trim_matches('"'))
    };
    csv.lines().skip(1).map(case).collect()
}

/// What is measured where the filter is `filter`.
fn measured(filter: &str) -> Option<BTreeSet<String>> {
    let Ok(gpu) = Gpu::open(None) else {
        println!("skipped: no GPU adapter");
        return None;
    };
    let file = format!("cotangent-gpu-{}-{}.csv", std::process::id(), filter.len());
    let path = std::env::temp_dir().join(file);
    let options = Options {
        csv: Some(path.clone()),
        kernels: true,
        ..options(filter)
    };
    let outcome = Bench::new(gpu, Sizes::tiny(), options).unwrap().all();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    outcome.unwrap();
    Some(cases(&text))
}

#[test]
fn every_case_in_f32_runs_and_agrees_with_the_cpu() {
    let Some(cases) = measured(" f32") else {
        return;
    };
    // 5 of what work costs, 13 of bandwidth, 2 of products, 3 models.
    assert_eq!(cases.len(), 5 + 13 + 2 + 3, "{cases:?}");
    for case in [
        "overhead submit f32",
        "bandwidth scan f32",
        "products 16x16x16 f32",
    ] {
        assert!(cases.contains(case), "{case} of {cases:?}");
    }
}

#[test]
fn a_filter_leaves_one_case() {
    let Some(cases) = measured("bandwidth map f32") else {
        return;
    };
    assert_eq!(cases.into_iter().collect::<Vec<_>>(), ["bandwidth map f32"]);
}

#[test]
fn without_a_device_nothing_is_measured_and_nothing_fails() {
    let nowhere = |found: &[&str]| GpuError::NoDevice {
        wanted: None,
        found: found.iter().map(|&name| name.to_owned()).collect(),
    };
    assert!(super::without(nowhere(&[])).is_ok());
    assert!(super::without(nowhere(&["another"])).is_err());
}

#[test]
fn a_device_that_is_named_has_to_be_there() {
    let options = options("bandwidth map f32");
    let named = Options {
        gpu: Some("a device that nobody has".to_owned()),
        ..options
    };
    let there = Gpu::open(None).is_ok();
    assert_eq!(super::run(named).is_err(), there);
}
