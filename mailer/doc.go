// Package mailer composes editions as emails, and sends them by SMTP or stores them in a Maildir. No other package
// sends email.
//
//	1 claim.go      leases editions from the queue, and renders them
//	2 compose.go    writes a Letter as complete bytes, before the connection to a server
//	3 sign.go       signs those bytes with DKIM
//	4 send.go       gives the bytes to the Transport, and commits the dot just before their end
//	5 outcome.go    decides what happens to the edition next (a pure function)
//	6 mark.go       records that, many editions in one transaction
//
// deliver.go runs these six steps for many editions at the same time. letter.go defines a Letter. outbox.go sends
// single letters that somebody waits for. They take the same steps, but skip the queue.
//
//	transport.go                      the interface Transport
//	settings.go, probe.go             the setting DIGEST_MAIL, and its check
//	smtp.go, transact.go              SMTP connections, which stay open, and one transaction on one of them
//	reply.go, verdict.go              the reply of a server, and its meaning
//	smaller.go                        a smaller message for a server that rejects a large one
//	maildir.go                        the Transport that writes to a Maildir
//	cfbl.go                           the address for complaints
//	lanes.go                          the state of the route and of each domain
//	address.go, from.go, header.go    addresses, and the fields of a header
//
// # States of an edition
//
// SMTP cannot deliver exactly once. If the connection breaks after the server has accepted a message, and before
// the reply has arrived, nobody knows whether it was accepted (RFC 1047, RFC 5321 §6.1). The mailer keeps this gap
// as short as one reply, and commits that the gap begins just before the final dot. If no reply follows, it sends
// the edition again with the same Message-ID and Date. Before the commit it watches the server for a moment. A
// server that has closed the connection or replied has not accepted the message, so nothing is in doubt.
//
//	ready ──claim──> leased ──commit──> dotting ──250──> sent
//	  ^                 │                  │
//	  ├──lease over─────┤                  ├──5xx──> failed
//	  ├──refused before │                  ├──4xx──> ready, by the schedule
//	  │  the dot, by    │                  └──no answer──> in doubt ──15 min──> ready, sent again
//	  │  the schedule───┤                                     │
//	  └─its lane pauses─┘                                     └──second time──> sent_unconfirmed
//
// An edition expires when its schedule or its time ends, and the next edition carries its posts. If an edition
// failed or is sent_unconfirmed, the next edition lists its headlines and has a notice. The claim fails an edition
// whose reader has left. If the reader leaves later, the store recalls the edition from its worker, which may then
// not send the dot. In the same two ways an edition for a suppressed address becomes unmailed, and stays on the
// web. A worker renews its leases while it runs.
//
// A killed process has these effects, depending on the state of the edition:
//
//	ready                       None.
//	leased, up to the last byte before the dot
//	                            The server drops the fragment. When the lease ends, 5 minutes later, the edition
//	                            is ready again. It is sent once.
//	after the commit of dotting, before the dot is written
//	                            The edition is in doubt, though it was never sent. It is sent once, 15 minutes later.
//	after the dot, before the mark is committed
//	                            The edition is in doubt, and was accepted. It is sent twice with one Message-ID and
//	                            one Date, by which receivers recognise a duplicate. The DKIM signature has a later
//	                            time, and a layout or key that has changed is the new one.
//	after the mark              None.
//
// Only the fourth case sends twice, for at most one message of each connection. A kill undoes no commit, even if
// the commit did not wait for the disk. So most commits of dotting, and of the marks "sent" before them, do not
// wait for it (committer). A loss of power has these effects:
//
//	dotting, not yet on disk    The edition is leased, and ready again 5 minutes later. It is not in doubt, so no
//	                            number of losses makes an unsent edition sent_unconfirmed. It is sent twice if the
//	                            dot was written.
//	sent, not yet on disk       The same, if the worker died too. Otherwise the worker marks the edition again. At
//	                            most unsyncedWindow editions of each connection are affected.
//
// The mailer does not commit dots to disk ahead of time. Unsent editions would then be in doubt, and two losses of
// power would lose them, because an edition that was in doubt twice is not sent again. Where sending again replaces
// the message, as in a Maildir, nothing is ever in doubt.
//
// # What a refusal affects
//
// Verdict looks first at the stage of a refusal:
//
//	dial, greeting, EHLO, STARTTLS, login; 4xx to MAIL; 421 at any point
//	                            The route pauses for a minute, and up to 15 if that repeats. No attempt counts.
//	login refused, 5xx to MAIL; 5.7.x before that; 5.7.26 and 5.7.515 at any point
//	                            The route pauses, with an alarm. The mailer tries again each hour, and when the
//	                            operator resumes it. The edition never fails.
//	RCPT: 550 without an enhanced code, 5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10, 5.2.1, 521, 556
//	                            The mailbox does not exist. The edition fails, and the address is suppressed.
//	any other 5xx               The edition fails, and the address is not suppressed. If, within ten minutes, more
//	                            than one answer in twenty, and at least three, are such refusals, the domain pauses
//	                            for an hour and its editions wait instead. Refusals of a message for its form, size
//	                            or content do not count. After the pause the domain gets three probes, to readers
//	                            whose last edition was not refused. One accepted probe ends the alarm.
//	any other 4xx, and 552 to RCPT
//	                            The edition waits, by the schedule or for as long as the server asks.
//	no answer before the dot    The mailer tries again on a new connection, then by the schedule.
//	a reply in the body         The edition waits by the schedule. The reply answers no command, and the message had
//	                            no end.
//
// A 4xx about one mailbox (full, away, greylisted) does not affect the domain. A 4xx about the server (its state,
// its limits) halves the number of messages that the domain gets at the same time. It also pauses the domain for a
// minute, and up to an hour if that repeats. A 4xx that may mean either is most likely greylisting, which sees each
// recipient once before it accepts mail. A single one has no effect. If they are more than one answer in ten, and
// at least three, they halve the number. They pause the domain only if the server has seen the recipients before.
// Each accepted message allows one more at the same time.
//
// The queue stores the route and the recovering domains as lanes, so restarts and other workers respect them. Each
// Deliverer counts the answers that change a lane in memory, for itself.
package mailer
