// SPDX-License-Identifier: MIT
//
// A program of criterion.rs with what its names, parameters and throughput can be.
use criterion::*;

fn is_bad(how: &str) -> bool {
    std::env::var("HARNESS_BAD").map_or(false, |bad| bad == how)
}

fn all(c: &mut Criterion) {
    c.bench_function("chain", |b| b.iter(|| sample::work(black_box(sample::WORK))));
    let mut group = c.benchmark_group("group (a|b)*");
    for n in [8u64, 64] {
        group.throughput(Throughput::Bytes(n * 8));
        group.bench_with_input(BenchmarkId::new("made/of", n), &n, |b, n| b.iter(|| sample::work(*n * sample::WORK / 8)));
    }
    group.finish();
    c.bench_function("by hand", |b| {
        b.iter_custom(|n| {
            let start = std::time::Instant::now();
            for _ in 0..n {
                black_box(sample::work(black_box(sample::WORK)));
            }
            2 * start.elapsed()
        })
    });
    c.bench_function("panics", |b| b.iter(|| if is_bad("panic") { panic!("no data here") }));
}

criterion_group!(benches, all);
criterion_main!(benches);
