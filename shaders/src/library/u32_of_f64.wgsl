// Saturates; NaN, which no comparison holds for, gives 0.
fn u32_of_f64(x: f64) -> u32 {
    let limit = 4294967296.0lf;
    let is_between = (x > f64()) & (x < limit);
    let inside = u32(select(f64(), x, is_between));
    return select(inside, 4294967295u, x >= limit);
}
