fn rem_u32(x: u32, y: u32) -> u32 {
    return x - y * quot_u32(x, y);
}
