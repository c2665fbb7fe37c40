// Towards zero, 0 for a divisor of 0; the least number divided by -1 is itself.
fn quot_i32(x: i32, y: i32) -> i32 {
    let divisor = select(y, 1i, y == 0i | y == -1i);
    let quotient = select(x / divisor, -x, y == -1i);
    return select(quotient, 0i, y == 0i);
}
