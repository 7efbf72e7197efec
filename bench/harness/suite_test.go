// SPDX-License-Identifier: MIT

// bench/harness.sh: the same work as suite.cc, units times (units.go). A program with 1020 units does 2 % more than one with 1000.
package suite

import (
	"sort"
	"testing"
)

var sink uint64

func next(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

// Each step waits for the one before it: of known length.
func BenchmarkChain(b *testing.B) {
	x := uint64(1)
	for n := 0; n < b.N; n++ {
		for i := 0; i < units; i++ {
			x = next(x)
		}
	}
	sink = x
}

func BenchmarkSort(b *testing.B) {
	drawn, v, x := make([]int, 64), make([]int, 64), uint64(1)
	for i := range drawn {
		x = next(x)
		drawn[i] = int(x >> 33)
	}
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		for i := 0; i < units/5; i++ {
			copy(v, drawn)
			sort.Ints(v)
		}
	}
}

func BenchmarkMap(b *testing.B) {
	m, k := map[uint32]uint32{}, uint32(0)
	for i := uint32(0); i < 4096; i++ {
		m[i*2654435761] = i
	}
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		for i := 0; i < units; i++ {
			sink += uint64(m[(k&4095)*2654435761])
			k++
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	from, to := make([]byte, 1<<14), make([]byte, 1<<14)
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		for i := 0; i < units/5; i++ {
			copy(to, from)
			sink += uint64(to[n&255])
		}
	}
}
