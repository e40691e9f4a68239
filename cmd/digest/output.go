package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"digest"
	"digest/timezone"
)

func (a *app) printJSON(v any) error {
	line, err := asJSON(v)
	if err == nil {
		_, err = a.stdout.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// asJSON encodes a value so that printing it is safe for a terminal: it escapes control characters and bidirectional
// controls.
func asJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(line, actsOnTerminal) {
		return line, nil
	}
	var safe []byte
	for _, r := range string(line) {
		if actsOnTerminal(r) {
			safe = fmt.Appendf(safe, `\u%04x`, r)
			continue
		}
		safe = utf8.AppendRune(safe, r)
	}
	return safe, nil
}

func actsOnTerminal(r rune) bool {
	return unicode.IsControl(r) || r > unicode.MaxASCII && digest.WithoutTurns(string(r)) == ""
}

// say prints the result of a change: a line for people, or an object for scripts.
func (a *app) say(object any, format string, args ...any) error {
	if a.json {
		return a.printJSON(object)
	}
	_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
	return err
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.stdout, format, args...) }

func (a *app) println(args ...any) { fmt.Fprintln(a.stdout, args...) }

func (a *app) show(object any, print func() error) error {
	if a.json {
		return a.printJSON(object)
	}
	return print()
}

// printList prints records: JSON for scripts, or one line of tab-terminated cells each for people. If the list is
// empty, it prints none for people.
func printList[T any](a *app, records []T, none string, line func(T) string) error {
	return printPages(a, all(records), none, line)
}

// printPages is printList for a list that is read in pages.
func printPages[T any](a *app, records iter.Seq2[T, error], none string, line func(T) string) error {
	if a.json {
		return printArray(a, records)
	}
	n, err := printTabs(a.stdout, reported(records, line))
	if err == nil && n == 0 && none != "" {
		a.println(none)
	}
	return err
}

// printTabs prints lines in columns, whose cells end with a tab, and returns their number. If the
// list fails midway, it prints nothing.
func printTabs(stdout io.Writer, lines iter.Seq2[string, error]) (n int, err error) {
	out := bufio.NewWriter(stdout)
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for line, err := range lines {
		if err != nil {
			return n, err
		}
		n++
		_, _ = io.WriteString(columns, line+"\n") // Flush returns its error
	}
	if err := errors.Join(columns.Flush(), out.Flush()); err != nil {
		return n, fmt.Errorf("printing: %w", err)
	}
	return n, nil
}

// printArray prints a list as printJSON would print a slice. Where reading it fails
// midway, its beginning has been printed.
func printArray[T any](a *app, records iter.Seq2[T, error]) error {
	out := bufio.NewWriter(a.stdout)
	before := byte('[')
	for r, err := range records {
		var one []byte
		if err == nil {
			one, err = asJSON(r)
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		_ = out.WriteByte(before) // Flush returns the error
		_, _ = out.Write(one)
		before = ','
	}
	if before == '[' {
		_ = out.WriteByte('[')
	}
	_, _ = out.WriteString("]\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

func printLines[T any](stdout io.Writer, records []T, line func(T) string) error {
	_, err := printTabs(stdout, reported(all(records), line))
	return err
}

// printTable prints records as lines below a heading. For an empty list it prints nothing.
func printTable[T any](a *app, heading string, records []T, line func(T) string) error {
	if len(records) == 0 {
		return nil
	}
	a.printf("\n%s:\n", heading)
	return printLines(a.stdout, records, func(r T) string { return "  " + line(r) })
}

func (a *app) onTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// each applies a function to each element of a list. It never returns nil, which is null in JSON.
func each[T, U any](all []T, do func(T) U) []U {
	made := make([]U, len(all))
	for i, one := range all {
		made[i] = do(one)
	}
	return made
}

func all[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func reported[T, U any](all iter.Seq2[T, error], do func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for one, err := range all {
			var made U
			if err == nil {
				made = do(one)
			}
			if !yield(made, err) {
				return
			}
		}
	}
}

// plain makes foreign text safe to print: one line, without passwords of feeds.
func plain(s string) string { return digest.WithoutCredentials(oneLine(s)) }

// oneLine makes text safe for a line on a terminal: without control characters, line breaks and bidirectional controls.
func oneLine(s string) string { return digest.OneLine(digest.WithoutTurns(s)) }

// span formats a duration as people write it: 48h, 90m, 7d.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 3*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// roughly is span, rounded to minutes.
func roughly(d time.Duration) string {
	if d < time.Minute {
		return span(d)
	}
	return span(d.Round(time.Minute))
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// instant converts a time for JSON: UTC, null for zero.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// when formats an instant from JSON for people.
func when(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format("2006-01-02 15:04 MST")
}

func inZone(t time.Time, zone string) string { return when(new(t.In(zoneOf(zone)))) }

// zoneOf returns a time zone, or UTC if this machine does not have it.
func zoneOf(name string) *time.Location {
	zone, err := timezone.Load(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
