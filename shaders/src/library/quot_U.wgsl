// 0 for a divisor of 0.
fn quot_U(x: U, y: U) -> U {
    let divisor = select(y, 1U, y == 0U);
    return select(x / divisor, 0U, y == 0U);
}
