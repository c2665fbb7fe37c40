// Saturates; NaN, which no comparison holds for, gives 0.
fn i32_of_f32(x: f32) -> i32 {
    let limit = 2147483648.0f;
    let is_small = x > -limit;
    let is_large = x >= limit;
    let is_between = is_small & (x < limit);
    let inside = i32(select(f32(), x, is_between));
    let least = -2147483647i - 1i;
    return select(select(select(0i, least, x <= -limit), inside, is_between), 2147483647i, is_large);
}
