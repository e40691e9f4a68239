// Package mailer turns editions into messages and hands them over, by SMTP or
// into a Maildir, and is the only package that knows either.
package mailer
