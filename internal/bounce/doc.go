// Package bounce handles the email that an instance receives: failed deliveries, complaints, requests to
// unsubscribe, and DMARC reports.
//
//	server.go, session.go, listener.go    receive a message by SMTP or LMTP
//	maildir.go                            reads a message from a Maildir
//	header.go                             parses its header, even a broken one
//	address.go                            finds its recipient by the token in an address
//	report.go, status.go, freetext.go     find out what it reports (pure)
//	handle.go, aggregate.go               store that
//
// # Addresses
//
// Every edition has a return path of its own: the address DIGEST_RETURN_PATH with a token as its tag,
// bounces+token@example.org. The token identifies the edition, and only the instance's secret can make one. The package
// does not trust other addresses in a message, because anyone can write them. These addresses receive email:
//
//	bounces+token@   of an edition: failures and complaints. A bounce has no sender (RFC 5321 §4.5.5), so the
//	                 server rejects a message that has one.
//	bounces+token@   of a confirmation request for a newsletter: failures. A reply declines.
//	bounces+token@   of a digest: any message from a person unsubscribes. Bounces and automatic replies do not.
//	bounces+dmarc@   aggregate reports of DMARC, from any sender. The instance only shows them.
//	bounces@         complaints from mail providers that know this address, from any sender. The package looks for
//	                 the token in the message that the provider returns.
//
// # What a stranger can do
//
// A message carries its own token. So the reader's mail provider knows the token, and so does everyone to whom the
// reader forwards the message. With an edition's token a stranger can forge a failure or a complaint, and so stop
// email to the edition's one address. With a digest's token a stranger can unsubscribe the digest, as the link in
// the message can. Neither affects any other address, and the operator or the reader can undo both.
//
// # What counts against an address
//
// A hard bounce is a report in the form of RFC 3464 that the address does not exist, and nothing else. Rejections for
// policy, content or size do not count, because one blocklisting would end every subscription at that provider. Any
// other failure is a soft bounce. Delays, automatic replies and receipts are ignored.
package bounce
