package main

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"48h": 48 * time.Hour, "7d": 168 * time.Hour, "1h30m": 90 * time.Minute, "1m30s": 90 * time.Second,
		"10m": 10 * time.Minute, "1h": time.Hour, "10h": 10 * time.Hour, "100h": 100 * time.Hour,
		"1h0m30s": time.Hour + 30*time.Second,
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30s",
		3*time.Hour + 14*time.Minute + 13*time.Second:  "3h14m",
		63*time.Hour + 12*time.Minute + 30*time.Second: "63h13m",
		48 * time.Hour: "48h",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is told as %s; want %s", d, got, want)
		}
	}
}
