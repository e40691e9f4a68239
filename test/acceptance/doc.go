// Package acceptance tests the program from the outside. Its tests build cmd/digest, run it like a person or a timer,
// serve sites to it on loopback addresses that record every request, and read its mail.
//
// All tests share one kit:
//
//	house       an installation of the program (program_test.go)
//	site        a site in its manner, on a recorder of all requests (site_test.go, recorder_test.go)
//	court       judges every request (judge_test.go)
//	letter      an edition as its reader gets it (letter_test.go)
//	mailServer  a mail server with faults and a journal (mail_server_test.go)
//	ledger      judges the journal (mail_ledger_test.go)
//	oracle      predicts requests and mail only from the design, without code of the program (oracle_test.go)
//
// DIGEST_ACCEPTANCE=full runs more sites, readers and crashes.
package acceptance
