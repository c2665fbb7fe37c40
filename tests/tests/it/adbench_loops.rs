//! LSTM and hand tracking against ADBench's golden module, and against the plain-Rust references.

use crate::adbench::assert_close;
use crate::data::{adbench, numbers};
use cotangent::Cpu;
use cotangent_adbench::hand::input::{HandInput, HandModel};
use cotangent_adbench::host::HostFloat;
use cotangent_adbench::lstm::LstmInput;
use cotangent_adbench::{hand, lstm};
use std::path::Path;

/// ADBench's tolerance in f64.
const TOLERANCE: f64 = 1e-8;

/// The numbers of a golden result.
fn golden(data: &Path, name: &str, kind: &str) -> Vec<f64> {
    numbers(&data.join(format!("golden/{name}_{kind}_Manual.txt")))
}

/// Loss and gradient by cotangent.
fn lstm_by_cotangent<T: HostFloat>(input: &LstmInput) -> (f64, Vec<f64>) {
    let model = lstm::model::Model::<T>::compile(input.l, Cpu::default()).unwrap();
    (
        model.objective(input).unwrap(),
        model.gradient(input).unwrap(),
    )
}

#[test]
fn lstm_equals_the_golden_results() {
    let Some(data) = adbench("lstm_equals_the_golden_results") else {
        return;
    };
    for name in ["lstm_l2_c1024", "lstm_l4_c1024"] {
        let input = LstmInput::load(&data.join(format!("lstm/{name}.txt"))).unwrap();
        let golden = |kind: &str| self::golden(&data, &format!("lstm_{name}"), kind);
        let (value, gradient) = lstm::reference::gradient(&input);
        assert_close(
            &format!("{name}: plain F"),
            &[value],
            &golden("F"),
            TOLERANCE,
        );
        assert_close(
            &format!("{name}: plain J"),
            &gradient,
            &golden("J"),
            TOLERANCE,
        );
        let (value, gradient) = lstm_by_cotangent::<f64>(&input);
        assert_close(&format!("{name}: F"), &[value], &golden("F"), TOLERANCE);
        assert_close(&format!("{name}: J"), &gradient, &golden("J"), TOLERANCE);
    }
}

#[test]
fn lstm_equals_plain_rust() {
    for (l, c, b) in [(1, 2, 1), (1, 9, 3), (2, 30, 14), (3, 5, 2), (8, 4, 2)] {
        let input = LstmInput::generate(l, c, b, 5).unwrap();
        let (value, gradient) = lstm::reference::gradient(&input);
        let what = format!("{l} layers, {c} characters, {b} bits");
        let (found, by_cotangent) = lstm_by_cotangent::<f64>(&input);
        assert_close(&what, &[found], &[value], 1e-12);
        assert_close(&what, &by_cotangent, &gradient, 1e-12);
        let (found, by_cotangent) = lstm_by_cotangent::<f32>(&input);
        assert_close(&format!("{what} in f32"), &[found], &[value], 1e-5);
        assert_close(&format!("{what} in f32"), &by_cotangent, &gradient, 1e-5);
    }
}

/// Residuals and Jacobian by cotangent.
fn hand_by_cotangent<T: HostFloat>(input: &HandInput) -> [Vec<f64>; 2] {
    let kind = hand::model::Kind::of(input);
    let model = hand::model::Model::<T>::compile(kind, Cpu::default()).unwrap();
    [
        model.residuals(input).unwrap(),
        model.jacobian(input).unwrap(),
    ]
}

#[test]
fn hand_equals_the_golden_results() {
    let Some(data) = adbench("hand_equals_the_golden_results") else {
        return;
    };
    for (file, name, in_triangles) in [
        ("test", "test", false),
        ("hand_complicated", "hand_complicated", true),
        (
            "simple_small/hand1_t26_c100",
            "simple_small_hand1_t26_c100",
            false,
        ),
        (
            "complicated_small/hand1_t26_c100",
            "complicated_small_hand1_t26_c100",
            true,
        ),
    ] {
        let model = HandModel::load(&data.join("hand/model")).unwrap();
        let path = data.join(format!("hand/{file}.txt"));
        let input = HandInput::load(&path, model, in_triangles).unwrap();
        let golden = ["F", "J"].map(|kind| self::golden(&data, &format!("hand_{name}"), kind));
        let plain = [
            hand::reference::residuals(&input),
            hand::reference::jacobian(&input),
        ];
        let found = hand_by_cotangent::<f64>(&input);
        for (k, golden) in golden.iter().enumerate() {
            assert_close(&format!("{name}: plain"), &plain[k], golden, TOLERANCE);
            assert_close(name, &found[k], golden, TOLERANCE);
        }
    }
}

#[test]
fn hand_equals_plain_rust() {
    for (n, v, in_triangles) in [(1, 1, false), (9, 40, false), (1, 3, true), (17, 30, true)] {
        let mut input = HandInput::generate(n, v, in_triangles, 5).unwrap();
        for is_rotated in [true, false] {
            let plain = [
                hand::reference::residuals(&input),
                hand::reference::jacobian(&input),
            ];
            let what = format!("{n} points of {v}, {in_triangles}, {is_rotated}");
            for (found, plain) in hand_by_cotangent::<f64>(&input).iter().zip(&plain) {
                assert_close(&what, found, plain, 1e-11);
            }
            for (found, plain) in hand_by_cotangent::<f32>(&input).iter().zip(&plain) {
                assert_close(&format!("{what} in f32"), found, plain, 1e-4);
            }
            input.theta[..3].fill(0.0);
        }
    }
}
