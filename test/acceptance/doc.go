// Package acceptance judges the program from the outside: its tests build
// cmd/digest, run it as a person or a timer would, serve it sites on loopback
// hosts that record every request, and read the mail it leaves.
//
// What must come in which mail, and when which site may be asked, is worked out
// by the oracle of oracle_test.go from the design alone; it shares no code with
// the program. DIGEST_ACCEPTANCE=full runs more sites, readers and crashes.
package acceptance
