// Saturates; NaN, which no comparison holds for, gives 0.
fn I_of_F(x: F) -> I {
    let limit = $(2147483648|9223372036854775808).0F;
    let is_small = x > -limit;
    let is_large = x >= limit;
    let is_between = is_small & (x < limit);
    let inside = I(select(F(), x, is_between));
    let least = -$(2147483647|9223372036854775807)I - 1I;
    return select(select(select(0I, least, x <= -limit), inside, is_between), $(2147483647|9223372036854775807)I, is_large);
}
