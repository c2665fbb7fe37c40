// Saturates; NaN, which no comparison holds for, gives 0.
fn i64_of_f32(x: f32) -> i64 {
    let limit = 9223372036854775808.0f;
    let is_small = x > -limit;
    let is_large = x >= limit;
    let is_between = is_small & (x < limit);
    let inside = i64(select(f32(), x, is_between));
    let least = -9223372036854775807li - 1li;
    return select(select(select(0li, least, x <= -limit), inside, is_between), 9223372036854775807li, is_large);
}
