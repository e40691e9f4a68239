package members

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"digest"
	"digest/newsletter"
)

// A List is a list of members from a known system.
type List struct {
	System  string   // such as "Mailchimp"
	Files   []string // files to read, in order
	Skipped []string // skipped files of a ZIP, each with the reason

	Asked []newsletter.AskedAddress // addresses that already got a confirmation request, from our own export

	ctx     context.Context // of the caller that reads the list
	budget  int64           // remaining bytes for recognising its files
	sources []source
	state   State // of all people; "": from the rows
	limits  limits
	zones   map[string]readZone // cache by the words of the list
}

type source struct {
	name   string
	open   func() (io.ReadCloser, error)
	system system
	part   string // kind of the file; a list has at most one of each
	state  State  // of all its rows; "": from the rows
}

// Open recognises a list: a CSV file, or a ZIP of them. name is the name of the file, in which some systems encode the
// state. An error in the list is one line of the kind Invalid. Open reads nothing after ctx ended.
func Open(ctx context.Context, r io.ReaderAt, size int64, name string) (*List, error) {
	return open(ctx, r, size, name, usualLimits())
}

func open(ctx context.Context, r io.ReaderAt, size int64, name string, l limits) (*List, error) {
	list := &List{ctx: ctx, budget: l.bytes, limits: l, zones: map[string]readZone{}}
	if size > l.bytes {
		return nil, invalid("the list has %d bytes, and the limit is %d; split it", size, l.bytes)
	}
	var magic [4]byte
	n, err := r.ReadAt(magic[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	if begin := string(magic[:n]); begin == "PK\x03\x04" || begin == "PK\x05\x06" {
		return list, list.unpack(r, size)
	}
	whole := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }
	return list, list.add(source{name: baseName(name), open: whole})
}

// baseName returns the name of a file for display, without its folders.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	return cmp.Or(digest.Shortened(digest.OneLine(name), 100), "the list")
}

// add recognises a file by its header and adds it.
func (l *List) add(s source) error {
	f, err := s.open()
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.name, err)
	}
	defer f.Close()
	t, err := openTable(&spending{l.ctx, f, &l.budget}, l.limits)
	if err != nil {
		return atFile(s.name, err)
	}
	if err := s.recognise(t); err != nil {
		return atFile(s.name, err)
	}
	for _, other := range l.sources {
		if other.system.name != s.system.name {
			return invalid("%s is of %s and %s of %s; give one list at a time", other.name, other.system.name, s.name,
				s.system.name)
		}
		if other.part == s.part {
			return invalid("%s and %s are two lists of the same kind; give the one whose people joined this newsletter",
				other.name, s.name)
		}
	}
	l.System = s.system.name
	l.sources, l.Files = append(l.sources, s), append(l.Files, s.name)
	return nil
}

func atFile(name string, err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		wrong := digest.Refuse(e.Kind, "%s: %s", name,
			&digest.Error{Message: e.Message, Format: e.Format, Values: e.Values})
		wrong.Err = e.Err
		return wrong
	}
	if errors.Is(err, errBytes) {
		return digest.Refuse(digest.Invalid, "%s: the list is too large; split it", name)
	}
	return fmt.Errorf("reading %s: %w", name, err)
}

// Suppress sets a suppressed state for all people in the list. It is for a list of people who left that does not say
// so, such as listmonk's.
func (l *List) Suppress(state State) { l.state = state }

// Rows returns the people in the list: first the suppressed ones, then the others. A *Problem is an invalid row, and
// further rows follow it. Any other error is the last, and of the kind Invalid if it is in the list. The caller may
// range over the result several times.
func (l *List) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		p := pass{List: l, met: map[[16]byte]place{}, yield: yield}
		for _, p.suppressing = range []bool{true, false} {
			p.rows, p.left = 0, l.limits.bytes
			for i, s := range l.sources {
				if !p.file(i, s) {
					return
				}
			}
		}
	}
}

// A pass reads all files of a list once.
type pass struct {
	*List
	suppressing bool               // return only suppressed rows; false: only the others
	met         map[[16]byte]place // first occurrence of an address, by hash
	rows        int
	left        int64 // remaining bytes to read
	yield       func(Row, error) bool
}

// A place is the first occurrence of an address.
type place struct {
	line       int32
	file       int16
	suppressed bool
}

// file yields the rows of one file. It returns false to end the pass.
func (p *pass) file(i int, s source) bool {
	f, err := s.open()
	if err != nil {
		p.yield(Row{}, fmt.Errorf("reading %s: %w", s.name, err))
		return false
	}
	defer f.Close()
	t, err := openTable(&spending{p.ctx, f, &p.left}, p.limits)
	if err != nil {
		p.yield(Row{}, atFile(s.name, err))
		return false
	}
	for {
		fields, err := t.next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if p.rows++; err == nil && p.rows > p.limits.rows {
			err = invalid("the list has more than %d rows; split it", p.limits.rows)
		}
		wrong, one := errors.AsType[*Problem](err)
		switch {
		case one && !p.suppressing:
			if wrong.File = s.name; !p.yield(Row{}, wrong) {
				return false
			}
		case one:
		case err != nil:
			p.yield(Row{}, atFile(s.name, err))
			return false
		case !isEmpty(fields) && !p.row(i, s, t, fields):
			return false
		}
	}
}

// row yields one row if it belongs to this pass. It returns false to end the pass.
func (p *pass) row(i int, s source, t *table, fields []string) bool {
	row, wrong := p.read(s, t, fields)
	if wrong == "" && row.State.IsSuppressed() != p.suppressing || wrong != "" && p.suppressing {
		return true
	}
	if wrong == "" {
		wrong = p.again(i, row)
	}
	if wrong != "" {
		return p.yield(Row{}, &Problem{File: s.name, Line: row.Line, Message: wrong})
	}
	return p.yield(row, nil)
}

func (p *pass) read(s source, t *table, fields []string) (Row, string) {
	r := &record{table: t, list: p.List, fields: fields, foreign: s.system.foreign}
	row := s.system.read(r)
	row.File, row.Line = s.name, t.at
	if all := cmp.Or(p.state, s.state); all != "" && !row.State.IsSuppressed() {
		row.State = all
	}
	if len(fields) > len(t.names) && !isEmpty(fields[len(t.names):]) {
		r.wrong = fmt.Sprintf("it has %d fields for %d columns; put fields that contain %q in quotation marks",
			len(fields), len(t.names), string(t.csv.Comma))
	}
	if row.State.IsSuppressed() && row.Email != "" {
		r.wrong = "" // despite other errors, the address must not get emails
	}
	if s.system.foreign && row.Form == "" {
		row.Form = digest.Shortened(s.system.name+", "+s.name, mostForm)
	}
	return row, r.wrong
}

// again stores the first occurrence of an address, and returns an error text for later ones.
func (p *pass) again(i int, row Row) string {
	sum := sha256.Sum256([]byte(digest.EmailKey(row.Email)))
	key := [16]byte(sum[:16])
	first, met := p.met[key]
	if !met {
		p.met[key] = place{int32(row.Line), int16(i), row.State.IsSuppressed()}
		return ""
	}
	where := fmt.Sprintf("line %d of %s", first.line, p.sources[first.file].name)
	if first.suppressed && !row.State.IsSuppressed() {
		return fmt.Sprintf("%s gets no email, because of %s", row.Email, where)
	}
	return fmt.Sprintf("%s is already in %s", row.Email, where)
}

func isEmpty(fields []string) bool {
	for _, field := range fields {
		if field != "" {
			return false
		}
	}
	return true
}

// A spending reads until its budget is used up or its context ends.
type spending struct {
	ctx  context.Context
	r    io.Reader
	left *int64 // in bytes
}

func (s *spending) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if *s.left <= 0 {
		return 0, errBytes
	}
	n, err := s.r.Read(p[:min(int64(len(p)), *s.left)])
	*s.left -= int64(n)
	return n, err
}
