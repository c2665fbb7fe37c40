// Towards zero, 0 for a divisor of 0; the least number divided by -1 is itself.
fn quot_I(x: I, y: I) -> I {
    let divisor = select(y, 1I, y == 0I | y == -1I);
    let quotient = select(x / divisor, -x, y == -1I);
    return select(quotient, 0I, y == 0I);
}
