package edition

import (
	"math"
	"testing"
)

func TestSizeWithin(t *testing.T) {
	for _, c := range []struct {
		memory int64
		want   int
	}{
		{math.MaxInt64, 64 << 20}, // no limit
		{64 << 20, 16 << 20},
		{200 << 20, 50 << 20},
		{1 << 30, 256 << 20},
		{64 << 30, 512 << 20},
		{0, 0},
	} {
		if got := sizeWithin(c.memory); got != c.want {
			t.Errorf("within %d bytes: %d, want %d", c.memory, got, c.want)
		}
	}
}
