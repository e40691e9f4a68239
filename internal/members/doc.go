// Package members parses lists of a newsletter's members from other programs, and writes ours. It does no input or
// output of its own and uses no clock.
//
// Open parses a list and detects its system, and List.Rows returns each person as a Row. Row.Action is the only rule
// for the consequences. Rows returns people who unsubscribed, bounced, complained or were blocked first. So nobody is
// added or asked whom another row of the list suppresses.
//
//	row.go         the content of a row and its consequences
//	list.go        one list: a file, or several in a ZIP; the order and the duplicates
//	archive.go     the files of a ZIP to read
//	table.go       a CSV file in any encoding, with limits
//	record.go      a row of it: texts, times, addresses, zones
//	systems.go     detects a system by its columns; our own format
//	elsewhere.go   Mailchimp, Substack, Buttondown, Ghost, listmonk
//	write.go       our own export, one ZIP
//	cell.go        cells that no spreadsheet treats as a formula
package members
