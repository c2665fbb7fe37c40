// Towards negative infinity.
fn div_floor_I(x: I, y: I) -> I {
    let quotient = quot_I(x, y);
    let is_inexact = x - y * quotient != 0I;
    return quotient - select(0I, 1I, y != 0I & is_inexact & ((x < 0I) != (y < 0I)));
}
