package doctor

import "syscall"

// synced reports whether the kernel considers the clock synchronized (adjtimex(2)).
func synced() (synced, known bool) {
	const timeError, unsynchronised = 5, 0x40 // TIME_ERROR, STA_UNSYNC
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	if err != nil {
		return false, false
	}
	return state != timeError && t.Status&unsynchronised == 0, true
}
