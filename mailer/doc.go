// Package mailer turns editions into messages and hands them over, by SMTP or
// into a Maildir. It is the only package that knows either.
//
//	1 claim.go      editions are leased from the queue and rendered
//	2 compose.go    a Letter becomes complete bytes, before any server is spoken to
//	3 sign.go       the DKIM signature on those bytes, and its keys
//	4 send.go       the bytes are handed to the Transport, the dot committed just before their end
//	5 outcome.go    what becomes of the edition: a pure function
//	6 mark.go       the record of it, many to a transaction
//
// deliver.go leads through these six, many editions at once. letter.go says what
// is in a Letter. outbox.go sends single letters that somebody waits for, in the
// same way but for the queue.
//
//	transport.go, settings.go, probe.go  what a Transport promises; the setting DIGEST_MAIL, and whether it works
//	smtp.go, transact.go                 connections that are kept, and one transaction on one of them
//	reply.go, verdict.go                 what a server said, and what that means
//	maildir.go                           the other Transport
//	cfbl.go                              where complaints go
//	lanes.go                             what becomes of the route and of a domain
//	address.go                           addresses and other values of a header
//
// # States of an edition
//
// SMTP cannot deliver exactly once: between the server's acceptance and our
// record of it lies a gap (RFC 1047, RFC 5321 §6.1). So the gap is made as
// narrow as one answer, marked before it is entered, and what falls into it is
// sent once more with the same Message-ID and Date. Before the mark the mailer
// watches the server for a moment: one that has closed the connection or replied
// has not accepted the message, so nothing is in doubt.
//
//	ready ──claim──> leased ──commit──> dotting ──250──> sent
//	  ^                 │                  │
//	  ├──lease over─────┤                  ├──5xx──> failed
//	  ├──refused before │                  ├──4xx──> ready, by the schedule
//	  │  the dot, by    │                  └──no answer──> in doubt ──15 min──> ready, once more
//	  │  the schedule───┤                                     │
//	  └─its lane pauses─┘                                     └──again──> sent_unconfirmed
//
// An edition is expired when the schedule or its time is over, and the next one
// carries its posts; the next one also mentions an edition that failed or is
// sent_unconfirmed. One whose reader left fails at the claim, or is recalled
// from its claimer, who then gets no dot; one whose address is suppressed becomes unmailed so: it
// stands in the web view only. The claimer prolongs its leases while it lives.
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
//	                            in doubt and accepted: sent twice, with one Message-ID and one Date,
//	                            by which receivers know a duplicate; a signature tells its own time,
//	                            and a layout or a key changed meanwhile is the new one
//	after the mark              nothing
//
// The last but one is the only one that doubles, for at most one message of each
// connection. That holds for a kill, which undoes no commit, whether it waited for
// the disk or not: so that of dotting, with the marks "sent" before it, mostly does
// not wait (committer). What a loss of power makes of that:
//
//	dotting, not yet on the disk     leased: ready again 5 minutes later, and not in doubt, so that no
//	                                 number of losses makes sent_unconfirmed of what was never sent;
//	                                 sent twice if the dot had been written
//	sent, not yet on the disk        the same if the worker died too, else it is marked once more;
//	                                 unsyncedWindow for each connection at most
//
// Promising editions ahead, durably, and counting those as in doubt would put
// unsent ones in doubt: two losses of power would lose them. An edition that was in doubt twice is not sent a third time. Where
// sending again replaces the message, as in a Maildir, nothing is ever in doubt.
//
// # Whose trouble it is
//
// A refusal is judged by its stage first (Verdict):
//
//	dial, greeting, EHLO, STARTTLS, login; 4xx to MAIL; 421 at any point
//	                            the route waits, a minute doubling to 15; no attempt is counted
//	login refused, 5xx to MAIL; 5.7.x before that; 5.7.26 and 5.7.515 at any point
//	                            the route is paused, with an alarm, and tried again each hour or when
//	                            the operator says so; it never fails an edition
//	RCPT: 550 without an enhanced code, 5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10, 5.2.1, 521, 556
//	                            nobody is there: the edition fails, the address is suppressed
//	any other 5xx               the edition fails; no address is suppressed for it. When more than
//	                            one answer in twenty, and three at least, were such within ten
//	                            minutes, the domain pauses for an hour and its editions wait instead.
//	                            Refusals of a message for its form, size or content do not count.
//	                            After the pause the domain gets three probes, to readers who were not
//	                            refused before; one that is accepted ends the alarm
//	any other 4xx, and 552 to RCPT
//	                            the edition waits, by the schedule or for as long as the server asks
//	no answer before the dot    once more on a new connection, then by the schedule
//	a reply in the body         by the schedule: it answers no command, and the message had no end
//
// What a 4xx says of a domain depends on whom it speaks of. Of one mailbox (full,
// away, greylisted): nothing. Of the server (its state, its limits): half as many
// messages at once, and a pause, a minute doubling to an hour. An answer that
// could be either is most likely a greylist's, which has to see each recipient
// once before its time begins: one is nothing; if they are more than one answer in
// ten, and three at least, there are half as many at once, and a pause only if
// the recipients had been there before. Each acceptance allows one more at once.
//
// The route and the domains that recover are lanes in the queue, so a restart
// and other workers respect them. What led there is counted in memory, by each
// Deliverer for itself.
package mailer
