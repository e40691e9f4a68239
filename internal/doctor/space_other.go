//go:build !linux && !darwin && !freebsd

package doctor

func spaceOf(string) (Space, bool) { return Space{}, false }
