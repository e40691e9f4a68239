//go:build !race

package feed

const raced = false
