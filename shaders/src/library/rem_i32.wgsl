fn rem_i32(x: i32, y: i32) -> i32 {
    return x - y * quot_i32(x, y);
}
