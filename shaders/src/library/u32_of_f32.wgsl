// Saturates; NaN, which no comparison holds for, gives 0.
fn u32_of_f32(x: f32) -> u32 {
    let limit = 4294967296.0f;
    let is_between = (x > f32()) & (x < limit);
    let inside = u32(select(f32(), x, is_between));
    return select(inside, 4294967295u, x >= limit);
}
