//! Pictures are written, and what cannot be drawn is an error.

use cotangent_examples::picture::{Plot, heat_colour, write_png};
use std::path::PathBuf;
use std::process::Command;

/// A file of the given name in a folder for this test.
fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// Runs the binary; gives its status, and what it wrote.
fn run(arguments: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotangent-examples"));
    let output = command.args(arguments.split(' ')).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// Runs an example, which has to agree and to draw a picture.
fn draws(name: &str, arguments: &str) {
    let path = file(name);
    let _there_was_none = std::fs::remove_file(&path);
    let (status, text) = run(&format!("{arguments} --out {}", path.display()));
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("agrees"), "{text}");
    let bytes = std::fs::read(&path).unwrap();
    let start: &[u8] = if name.ends_with("png") {
        b"\x89PNG"
    } else {
        b"<svg"
    };
    assert!(bytes.starts_with(start) && bytes.len() > 60, "{name}");
}

#[test]
fn examples_draw() {
    draws(
        "mandelbrot.png",
        "mandelbrot --width 30 --height 20 --trips 50",
    );
    draws(
        "heat.png",
        "heat --width 20 --height 30 --steps 10 --threads 1",
    );
    draws("nbody.svg", "nbody --steps 200 --places 20");
    draws("systems.svg", "nbody --systems 3 --steps 0");
    draws("ode.svg", "ode --starts 3 --steps 100 --places 20");
    draws("newton.png", "newton --width 20 --height 10");
    draws("kmeans.svg", "kmeans --points 200 --centres 4 --threads 2");
}

#[test]
fn examples_without_pictures_agree() {
    for example in [
        "pagerank --pages 50",
        "cg --size 8",
        "cg --size 9 --matrix dense --threads 1",
    ] {
        let (status, text) = run(example);
        assert!(
            status == Some(0) && text.contains("trips"),
            "{example}: {text}"
        );
    }
}

#[test]
fn bad_arguments_are_errors() {
    for (arguments, part) in [
        ("mandelbrot --width 0", "--width"),
        ("mandelbrot --trips -1", "--trips"),
        ("heat --height -3", "--height"),
        ("heat --steps 99999999999", "--steps"),
        (
            "heat --width 4 --device gpu --threads 2",
            "--threads is for the CPU",
        ),
        (
            "mandelbrot --width 2 --height 2 --out /nowhere/x.png",
            "/nowhere/x.png",
        ),
        ("newton --width -2", "--width"),
        ("ode --starts 0", "--starts"),
        ("nbody --systems 0", "--systems"),
        ("kmeans --centres 0", "--centres"),
        ("cg --size 0", "--size"),
        ("pagerank --links -1", "--links"),
        ("pagerank --out x.png", "no picture"),
        ("nothing", "nothing"),
    ] {
        let (status, text) = run(arguments);
        assert_eq!(status, Some(2), "{arguments}: {text}");
        assert!(text.contains(part), "{arguments}: {text}");
    }
}

#[test]
fn empty_pictures_are_errors() {
    let pixels = write_png(&file("empty.png"), 0, &[]).unwrap_err();
    assert!(pixels.to_string().contains("without pixels"));
    let plot = Plot::new().write(&file("empty.svg")).unwrap_err();
    assert!(plot.to_string().contains("without points"));
}

#[test]
fn plots_fit_their_frame() {
    let mut plot = Plot::new();
    plot.curve(0, vec![(0.0, 0.0), (2.0, 1.0), (f64::NAN, 0.0)]);
    plot.dots(9, 3.0, vec![(1.0, 0.5)]);
    let svg = plot.to_svg().unwrap();
    assert!(svg.contains("viewBox=\"0 0 840.00 440.00\""), "{svg}");
    assert!(
        svg.contains("points=\"20.00,420.00 820.00,20.00\""),
        "{svg}"
    );
    let mut one = Plot::stretched();
    one.dots(0, 1.0, vec![(5.0, 5.0)]);
    assert!(one.to_svg().unwrap().contains("cx=\"20.00\" cy=\"20.00\""));
}

#[test]
fn colours_go_from_dark_to_light() {
    let brightness = |x| {
        heat_colour(x)
            .iter()
            .map(|&part| u32::from(part))
            .sum::<u32>()
    };
    let scale: Vec<u32> = (0..=8).map(|k| brightness(f64::from(k) / 8.0)).collect();
    assert!(scale.is_sorted(), "{scale:?}");
    assert_eq!(heat_colour(f64::NAN), heat_colour(-1.0));
    assert_eq!(heat_colour(2.0), heat_colour(1.0));
}
