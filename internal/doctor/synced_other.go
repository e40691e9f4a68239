//go:build !linux

package doctor

func synced() (synced, known bool) { return false, false }
