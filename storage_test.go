package digest_test

import (
	"testing"

	"digest"
)

func TestStorage(t *testing.T) {
	const gb = 1 << 30
	for _, c := range []struct {
		s            digest.Storage
		large, tight bool
	}{
		{digest.Storage{Bytes: 20 * gb, Alarm: 20 * gb, Free: gb}, false, false},
		{digest.Storage{Bytes: 20*gb + 1, Alarm: 20 * gb, Free: gb - 1}, true, true},
		{digest.Storage{Bytes: 1 << 50, Free: -1}, false, false},
		{digest.Storage{}, false, true},
	} {
		if c.s.Large() != c.large || c.s.Tight() != c.tight {
			t.Errorf("%+v: large %t, tight %t; want %t, %t", c.s, c.s.Large(), c.s.Tight(), c.large, c.tight)
		}
	}
}
