// Towards zero, 0 for a divisor of 0; the least number divided by -1 is itself.
fn quot_i64(x: i64, y: i64) -> i64 {
    let divisor = select(y, 1li, y == 0li | y == -1li);
    let quotient = select(x / divisor, -x, y == -1li);
    return select(quotient, 0li, y == 0li);
}
