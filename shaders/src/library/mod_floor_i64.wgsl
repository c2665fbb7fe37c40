fn mod_floor_i64(x: i64, y: i64) -> i64 {
    return x - y * div_floor_i64(x, y);
}
