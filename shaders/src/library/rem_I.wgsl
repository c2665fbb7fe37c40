fn rem_I(x: I, y: I) -> I {
    return x - y * quot_I(x, y);
}
