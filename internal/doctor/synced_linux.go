package doctor

import "syscall"

// synced asks the kernel whether something keeps its clock right (adjtimex(2)).
func synced() (synced, known bool) {
	const timeError, unsynchronised = 5, 0x40 // TIME_ERROR, STA_UNSYNC
	var t syscall.Timex
	state, err := syscall.Adjtimex(&t)
	if err != nil {
		return false, false
	}
	return state != timeError && t.Status&unsynchronised == 0, true
}
