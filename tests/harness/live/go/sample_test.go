// SPDX-License-Identifier: MIT

package sample

import (
	"fmt"
	"os"
	"testing"
)

var sink uint64
var kept []byte

func chain(b *testing.B) {
	x := uint64(1)
	for i := 0; i < b.N; i++ {
		for k := 0; k < work; k++ {
			x = x*6364136223846793005 + 1
		}
	}
	sink = x
}

func BenchmarkChain(b *testing.B) { chain(b) }

func BenchmarkMake(b *testing.B) {
	for _, n := range []int{64, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(n))
			for i := 0; i < b.N; i++ {
				kept = make([]byte, n)
			}
			b.ReportMetric(float64(n)/2, "halves/op")
		})
	}
}

func BenchmarkNames(b *testing.B) {
	for _, name := range []string{"a b", "x/y", "(r|e)*[", "q-8", "ü"} {
		b.Run(name, chain)
	}
}

func BenchmarkSkips(b *testing.B) { b.Skip("no data here") }

func BenchmarkFails(b *testing.B) {
	if os.Getenv("HARNESS_BAD") == "fail" {
		b.Fatalf("got %d", 4)
	}
	chain(b)
}

func BenchmarkPanics(b *testing.B) {
	if os.Getenv("HARNESS_BAD") == "panic" {
		panic("out of reach")
	}
	chain(b)
}
