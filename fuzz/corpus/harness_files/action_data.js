window.BENCHMARK_DATA = {
  "lastUpdate": 1764230400000,
  "repoUrl": "https://example.com/x",
  "entries": {
    "Rust Benchmark": [
      {"commit": {"id": "aaaa"}, "date": 1764230300000, "tool": "cargo", "benches": [{"name": "fib_10", "value": 140, "range": "± 24", "unit": "ns/iter"}]},
      {"commit": {"id": "bbbb"}, "date": 1764230400000, "tool": "cargo", "benches": [{"name": "fib_10", "value": 135, "range": "± 20", "unit": "ns/iter"}, {"name": "fib_20", "value": 18149, "unit": "ns/iter"}]}
    ]
  }
};
