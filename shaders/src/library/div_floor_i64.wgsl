// Towards negative infinity.
fn div_floor_i64(x: i64, y: i64) -> i64 {
    let quotient = quot_i64(x, y);
    let is_inexact = x - y * quotient != 0li;
    return quotient - select(0li, 1li, y != 0li & is_inexact & ((x < 0li) != (y < 0li)));
}
