//! That the instruction set does not change a bit.

use super::{EDGES, arguments, double, single};

/// The bits of every function of some arguments, as compiled for the caller.
#[inline(always)]
fn all_bits(x: &[f64], y: &[f64]) -> Vec<u64> {
    let mut bits = Vec::new();
    let mut out = vec![0.0; x.len()];
    let narrow: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let narrow_y: Vec<f32> = y.iter().map(|y| *y as f32).collect();
    let mut narrow_out = vec![0.0; x.len()];
    macro_rules! append {
        ($($lanes:ident)*; $($of_two:ident)*) => { $(
            double::$lanes(&mut out, x);
            bits.extend(out.iter().map(|x| x.to_bits()));
            single::$lanes(&mut narrow_out, &narrow);
            bits.extend(narrow_out.iter().map(|x| u64::from(x.to_bits())));
        )* $(
            double::$of_two(&mut out, x, y);
            bits.extend(out.iter().map(|x| x.to_bits()));
            single::$of_two(&mut narrow_out, &narrow, &narrow_y);
            bits.extend(narrow_out.iter().map(|x| u64::from(x.to_bits())));
        )* };
    }
    append! {
        exp_lanes exp_m1_lanes ln_lanes ln_1p_lanes sin_lanes cos_lanes tan_lanes asin_lanes acos_lanes
        atan_lanes sinh_lanes cosh_lanes tanh_lanes asinh_lanes acosh_lanes atanh_lanes;
        pow_lanes atan2_lanes
    }
    bits
}

#[target_feature(enable = "avx2")]
#[cfg(target_arch = "x86_64")]
fn bits_by_avx2(x: &[f64], y: &[f64]) -> Vec<u64> {
    all_bits(x, y)
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[cfg(target_arch = "x86_64")]
fn bits_by_avx512(x: &[f64], y: &[f64]) -> Vec<u64> {
    all_bits(x, y)
}

#[test]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn every_instruction_set_gives_the_same_bits() {
    use crate::isa::Isa;
    let mut x = arguments((0.0, 1.0), 1000);
    x.push(-f64::NAN);
    // Every edge meets every other.
    let y: Vec<f64> = x.iter().rev().copied().collect();
    let edges = [EDGES.as_slice(), &[-f64::NAN]].concat();
    let (left, right): (Vec<f64>, Vec<f64>) = edges
        .iter()
        .flat_map(|x| edges.iter().map(|y| (*x, *y)))
        .unzip();
    let x = [x, left].concat();
    let y = [y, right].concat();
    let baseline = all_bits(&x, &y);
    if Isa::Avx2.is_available() {
        // SAFETY: the machine has these instructions.
        assert!(baseline == unsafe { bits_by_avx2(&x, &y) });
    }
    if Isa::Avx512.is_available() {
        // SAFETY: the machine has these instructions.
        assert!(baseline == unsafe { bits_by_avx512(&x, &y) });
    }
}
