// Package mailer turns editions into messages and hands them over, by SMTP or
// into a Maildir. It is the only package that knows either.
//
//	mail.go, compose.go, address.go   a Mail becomes complete bytes, before any server is spoken to
//	transport.go, open.go             what a Transport promises; the setting DIGEST_MAIL
//	smtp.go, connect.go, transact.go  connections that are kept, and one transaction on one of them
//	reply.go, classify.go             what a server said, and what that means
//	maildir.go                        the other Transport
//	loop.go, run.go, settle.go        claim, print, send many at once, record
//	commit.go                         the records of all connections, many to a transaction
//
// # States of an edition
//
// SMTP cannot deliver exactly once: between the server's acceptance and our
// record of it lies a gap (RFC 1047, RFC 5321 §6.1). So the gap is made as
// narrow as one answer, marked before it is entered, and what falls into it is
// sent once more with the same Message-ID and Date.
//
//	ready ──claim──> leased ──commit──> dotting ──250──> sent
//	  ^                 │                  │
//	  ├──lease over─────┤                  ├──5xx──> failed
//	  ├──refused before │                  ├──4xx──> ready, by the schedule
//	  │  the dot, by    │                  └──no answer──> in doubt ──15 min──> ready, once more
//	  │  the schedule───┘                                     │
//	  └─ expired, when the schedule or its time is over       └──again──> sent_unconfirmed
//
// What a kill leads to, at each point:
//
//	ready                       nothing
//	leased, up to the last byte before the dot
//	                            the server drops the fragment; when the lease is over, 5 minutes
//	                            later, the edition is ready again: sent once
//	after the commit of dotting, before the dot is written
//	                            in doubt, though never sent: sent once, 15 minutes later
//	after the dot, before the mark is committed
//	                            in doubt and accepted: sent twice, alike to the byte
//	after the mark              nothing
//
// The last case is the only one that doubles, for at most one message of each
// connection. An edition that was in doubt twice is not sent a third time. Where
// sending again replaces the message, as in a Maildir, nothing is ever in doubt.
//
// # Whose trouble it is
//
// A refusal is judged by its stage first (Verdict). What goes wrong before a
// recipient was named (dial, greeting, TLS, login, MAIL), and 421 at any point,
// is the route's: everything waits, and no attempt is counted against any
// edition. A refusal of the recipient or the message fails that edition, or
// puts it off, and touches no other.
package mailer
