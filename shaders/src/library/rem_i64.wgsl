fn rem_i64(x: i64, y: i64) -> i64 {
    return x - y * quot_i64(x, y);
}
