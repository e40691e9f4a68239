// Package newsletter has the rules of newsletters (pure). They decide when to hold one that bounces or is marked as
// spam, and how fast to ask imported people for their consent. The package also has the targets of counted links, the
// statistics by day, and the checks of a newsletter's own sender domain. json.go describes the JSON that the command
// line and the API share. The types Newsletter and Member are in package digest, because editions refer to them.
package newsletter
