fn mod_floor_I(x: I, y: I) -> I {
    return x - y * div_floor_I(x, y);
}
