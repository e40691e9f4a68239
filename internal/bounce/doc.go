// Package bounce handles mail that comes back: failed deliveries, complaints,
// mail to unsubscribe, and answers to newsletters that count them.
//
//	server.go, session.go            a message comes by SMTP or LMTP
//	maildir.go                       or lies in a Maildir
//	header.go                        its header is read, however broken
//	address.go                       whose mail it is, by the tokens in addresses
//	report.go, status.go, freetext.go  what it says (pure)
//	handle.go, reply.go, aggregate.go  what is done about it, in the store
//
// # Whose mail came back
//
// Every edition is sent with a return path of its own: the address
// DIGEST_RETURN_PATH with a token for a tag, bounces+token@example.org. The
// token names the edition and nobody without the instance's secret can make
// one; addresses that a message names are not believed, for anybody can write
// them. Five kinds of address are ours:
//
//	bounces+token@   of an edition: failures and complaints. What has a sender
//	                 is no bounce (RFC 5321 §4.5.5) and is refused.
//	bounces+token@   of a digest: whatever a person sends there unsubscribes,
//	                 at once. Bounces and automatic replies do not.
//	bounces+token@   of a newsletter that counts answers, in their Reply-To beside
//	                 its own address. Nothing of an answer is stored.
//	bounces+dmarc@   aggregate reports of DMARC, from any sender. They are only
//	                 shown.
//	bounces@         complaints that mail providers send to the address they
//	                 were told, from whatever sender. The token is looked for
//	                 in what they return of the message.
//
// # What a stranger can do
//
// A token travels in the message that it belongs to, so the reader's mail
// provider knows it, and whoever the reader forwards the message to. With an
// edition's token a stranger can forge a failure or a complaint, and so keep
// mail from that edition's one address; with a digest's, unsubscribe it, as the
// link in the message would. Neither reaches any other address, and both are
// undone by the operator or the reader. Whoever has a letter of a newsletter can have
// answers counted that nobody wrote, as many a day as it has members.
//
// # What counts against an address
//
// Only a report in the form of RFC 3464 that says the address does not exist is
// a hard bounce. What speaks of policy, content or size counts for nothing: one
// blocklisting would end every subscription there. Everything else that failed
// is soft. A delay, an automatic reply or a receipt is nothing.
package bounce
