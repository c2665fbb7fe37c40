fn mod_floor_i32(x: i32, y: i32) -> i32 {
    return x - y * div_floor_i32(x, y);
}
