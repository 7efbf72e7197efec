// SPDX-License-Identifier: MIT
pub const WORK: u64 = 1000;

#[inline(never)]
pub fn work(n: u64) -> u64 {
    let mut x = 1u64;
    for _ in 0..n {
        x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1));
    }
    x
}
