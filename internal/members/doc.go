// Package members reads lists of a newsletter's members as other programs export
// them, and writes ours. It does no input or output of its own and knows no clock.
//
// A list is read by Open, which says which system it comes from, and by
// List.Rows, which gives each person as a Row. What becomes of a person is one rule,
// Row.Action. Whoever left, bounced, complained or was blocked comes first, so that
// nobody is asked or joins whom another row of the same list suppresses.
//
//	row.go         what a list says of a person, and what follows from it
//	list.go        one list: a file, or several in a ZIP; the order and the duplicates
//	archive.go     which files of a ZIP are read
//	table.go       a CSV file in whatever encoding, with bounds
//	record.go      a row of it: texts, times, addresses, zones
//	systems.go     by which columns a system is recognised, and our own format
//	elsewhere.go   Mailchimp, Substack, Buttondown, Ghost, listmonk, Keila
//	write.go       our own export, one ZIP
//	cell.go        cells that no spreadsheet takes for a formula
package members
