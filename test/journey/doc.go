// Package journey drives the web view as a reader does, in a real browser: its
// tests build cmd/digest, run it with a fixed clock beside sites on loopback, and
// go through all of it in Chromium, by the words on labels and buttons. Each page
// is photographed, on a phone and on a desk, light and dark, and judged by
// axe-core, which test/browser keeps under its own licence.
//
// The photographs are artifacts of the tests: go test -artifacts -outputdir DIR.
package journey
