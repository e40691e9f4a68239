//go:build race

package feed

// raced: the race detector makes pools forget on purpose and every step slow,
// so that work is counted only without it.
const raced = true
