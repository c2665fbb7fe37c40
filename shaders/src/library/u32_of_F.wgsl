// Saturates; NaN, which no comparison holds for, gives 0.
fn u32_of_F(x: F) -> u32 {
    let limit = 4294967296.0F;
    let is_between = (x > F()) & (x < limit);
    let inside = u32(select(F(), x, is_between));
    return select(inside, 4294967295u, x >= limit);
}
