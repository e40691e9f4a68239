package members

import (
	"archive/zip"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"text/template"
	"time"

	"digest"
	"digest/newsletter"
)

// The files of an export.
const (
	membersFile    = "members.csv"
	suppressedFile = "suppressed.csv"
	askedFile      = "asked.csv"
	readmeFile     = "README.txt"
)

//go:embed readme.txt
var readme string

// An Export is a publisher's export: the members of a newsletter with the proofs of their consent, and the suppressed
// addresses.
type Export struct {
	Newsletter string // its name
	MadeAt     time.Time
	Members    iter.Seq2[digest.Member, error] // Write skips those who left
	Suppressed iter.Seq2[digest.NewsletterSuppression, error]
	Asked      iter.Seq2[newsletter.AskedAddress, error] // addresses that got a confirmation request; nil: none
}

// Write writes the ZIP file. After an error the output is not a valid ZIP file.
func (e Export) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{readmeFile, e.writeReadme}, {membersFile, e.writeMembers}, {suppressedFile, e.writeSuppressed},
		{askedFile, e.writeAsked}} {
		file, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: e.MadeAt})
		if err == nil {
			err = f.write(file)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("ending the ZIP: %w", err)
	}
	return nil
}

func (e Export) writeReadme(w io.Writer) error {
	t, err := template.New(readmeFile).Parse(readme)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]string{"Newsletter": digest.OneLine(e.Newsletter), "MadeAt": stamp(e.MadeAt)})
}

func (e Export) writeMembers(w io.Writer) error {
	return writeTable(w, []string{"email", "state", "time_zone", "days", "joined_at", "form", "address", "asked_at",
		"confirmed_at"}, func(row func(...string) error) error {
		for m, err := range e.Members {
			if err == nil && m.State != digest.DigestLeft {
				err = row(m.Email, memberState(m), m.TimeZone, memberDays(m), stamp(m.JoinedAt), m.Form, m.Address,
					stamp(m.AskedAt), stamp(m.At))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func memberState(m digest.Member) string {
	if m.State == digest.DigestPaused {
		return paused
	}
	return string(Joined)
}

// memberDays returns the days that a member chose, or "" for the newsletter's.
func memberDays(m digest.Member) string {
	if !m.OwnDays {
		return ""
	}
	return m.Cadence.String()
}

func (e Export) writeSuppressed(w io.Writer) error {
	return writeTable(w, []string{"email", "state", "left_at", "reason"}, func(row func(...string) error) error {
		for s, err := range e.Suppressed {
			if err == nil {
				err = row(s.Email, string(stateOf(s.Reason)), stamp(s.At), s.Reason)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// writeTable writes a header, and the rows that each passes to row, as CSV in UTF-8 (RFC 4180).
func writeTable(w io.Writer, columns []string, each func(row func(...string) error) error) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(columns); err != nil {
		return err
	}
	err := each(func(cells ...string) error {
		for i := range cells {
			cells[i] = guarded(cells[i])
		}
		return out.Write(cells)
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

func (e Export) writeAsked(w io.Writer) error {
	return writeTable(w, []string{askedColumn}, func(row func(...string) error) error {
		if e.Asked == nil {
			return nil
		}
		for a, err := range e.Asked {
			if err == nil {
				err = row(hex.EncodeToString(a[:]))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
