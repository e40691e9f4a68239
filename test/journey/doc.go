// Package journey drives the web view like a reader, in a real browser. Its tests build cmd/digest, run it with a
// fixed clock beside sites on loopback, and use all of it in Chromium, by the words on labels and buttons. They take
// a screenshot of each page on a phone and on a desktop, light and dark, and check it with axe-core, which is in
// test/browser under its own licence.
//
// The screenshots are artifacts of the tests: go test -artifacts -outputdir DIR.
package journey
