// Rounds once: to an f32 that is cut off, with its last bit set where that left something out, and from there to the
// nearest f16. What is beyond f32 is infinite.
fn f16_of_f64(x: f64) -> f16 {
    let bits = bitcast<u64>(x);
    let high = u32(bits >> 32u);
    let low = u32(bits & 0xfffffffflu);
    let sign = high & 0x80000000u;
    let exponent = (high >> 20u) & 0x7ffu;
    let mantissa = ((high & 0xfffffu) << 3u) | (low >> 29u);
    let rest = select(0u, 1u, (low & 0x1fffffffu) != 0u);
    let inside = ((exponent - 896u) << 23u) | mantissa | rest;
    let large = 0x7f800000u | select(0u, mantissa | rest, exponent == 0x7ffu);
    let magnitude = select(select(inside, 0u, exponent <= 896u), large, exponent >= 1151u);
    return f16(bitcast<f32>(sign | magnitude));
}
