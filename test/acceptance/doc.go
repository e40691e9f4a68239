// Package acceptance tests the program from the outside. Its tests build cmd/digest, run it like a person or a timer,
// serve sites to it on loopback addresses that record every request, and read its mail.
//
// oracle_test.go computes the expected content of each mail and the expected requests to each site only from the
// design; it shares no code with the program. DIGEST_ACCEPTANCE=full runs more sites, readers and crashes.
package acceptance
