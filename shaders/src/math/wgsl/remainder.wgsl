// What quotients of F numbers leave.

// From the least number to the greatest.
const MOST_DOUBLINGS_F: i32 = $(277|2098)i;

// What is left of x when y has been taken away as often as goes: first the greatest y times a power of two that fits, then half of that, and so on.
// Each difference is exact.
fn remainder_F(x: F, y: F) -> F {
    let whole = size_bits_F(x);
    let part = size_bits_F(y);
    if whole >= INF_F || part == 0U || part > INF_F {
        return nan_F();
    }
    if whole < part {
        return x;
    }
    let least = abs(y);
    var rest = abs(x);
    var taken = least;
    var halves = 0i;
    // A device that flushes subnormal numbers would not come to the end by itself.
    while taken <= rest * 0.5F && halves < MOST_DOUBLINGS_F {
        taken = taken * 2.0F;
        halves = halves + 1i;
    }
    for (; halves >= 0i; halves = halves - 1i) {
        rest = select(rest, rest - taken, rest >= taken);
        taken = taken * 0.5F;
    }
    return with_sign_F(rest, x);
}
