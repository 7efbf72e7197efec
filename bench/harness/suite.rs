// SPDX-License-Identifier: MIT
//
// bench/harness.sh: the same work as suite.cc, UNITS times. A program with 1020 units does 2 % more than one with 1000.
use criterion::*;
use std::collections::HashMap;
use suite::UNITS;

fn next(x: u64) -> u64 {
    x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407)
}

// Each step waits for the one before it: of known length.
fn chain(c: &mut Criterion) {
    let mut x = 1;
    c.bench_function("chain", |b| {
        b.iter(|| {
            for _ in 0..UNITS {
                x = black_box(next(x));
            }
        })
    });
}

fn sort(c: &mut Criterion) {
    let mut x = 1;
    let drawn: Vec<u32> = (0..64)
        .map(|_| {
            x = next(x);
            (x >> 33) as u32
        })
        .collect();
    let mut v = drawn.clone();
    c.bench_function("sort", |b| {
        b.iter(|| {
            for _ in 0..UNITS / 5 {
                v.copy_from_slice(&drawn);
                v.sort_unstable();
                black_box(&v);
            }
        })
    });
}

fn map(c: &mut Criterion) {
    let key = |i: u32| i.wrapping_mul(2654435761);
    let m: HashMap<u32, u32> = (0..4096).map(|i| (key(i), i)).collect();
    let mut k = 0u32;
    c.bench_function("map", |b| {
        b.iter(|| {
            for _ in 0..UNITS {
                black_box(m[&key(k & 4095)]);
                k = k.wrapping_add(1);
            }
        })
    });
}

fn copy(c: &mut Criterion) {
    let from = vec![1u8; 1 << 14];
    let mut to = from.clone();
    c.bench_function("copy", |b| {
        b.iter(|| {
            for _ in 0..UNITS / 5 {
                to.copy_from_slice(black_box(&from));
                black_box(&to);
            }
        })
    });
}

criterion_group!(benches, chain, sort, map, copy);
criterion_main!(benches);
