//go:build race

package feed

// raced reports that the race detector runs. It makes pools release buffers and slows every step, so tests measure
// work only without it.
const raced = true
