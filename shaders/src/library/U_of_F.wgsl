// Saturates; NaN, which no comparison holds for, gives 0.
fn U_of_F(x: F) -> U {
    let limit = $(4294967296|18446744073709551616).0F;
    let is_between = (x > F()) & (x < limit);
    let inside = U(select(F(), x, is_between));
    return select(inside, $(4294967295|18446744073709551615)U, x >= limit);
}
