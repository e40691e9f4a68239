// Package acceptance tests the program from the outside. Its tests build cmd/digest, run it like a person or a timer,
// serve sites to it on loopback addresses that record every request, and read its mail.
//
// All tests share one kit: house (program_test.go), the sites of a recorder (site_test.go, recorder_test.go), the court
// that judges every request (judge_test.go), letters (letter_test.go), and a mail server with faults whose journal a
// ledger judges (mail_server_test.go, mail_ledger_test.go). oracle_test.go computes the expected content of each mail and
// the expected requests to each site only from the design; it shares no code with the program.
// DIGEST_ACCEPTANCE=full runs more sites, readers and crashes.
package acceptance
