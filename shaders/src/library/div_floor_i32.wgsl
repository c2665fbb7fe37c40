// Towards negative infinity.
fn div_floor_i32(x: i32, y: i32) -> i32 {
    let quotient = quot_i32(x, y);
    let is_inexact = x - y * quotient != 0i;
    return quotient - select(0i, 1i, y != 0i & is_inexact & ((x < 0i) != (y < 0i)));
}
