package render

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"html/template"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"digest/internal/catalogue"
)

//go:embed templates/*.html
var templateFiles embed.FS

// parseTemplates reads the templates, with colours and fonts in place of var() where theme
// gives them, for a language. They are part of the program, so an error is one of ours.
func parseTemplates(theme *strings.Replacer, lang *catalogue.Language) *template.Template {
	t := template.New("").Funcs(lang.Funcs()).Funcs(template.FuncMap{
		// outlook is HTML for Outlook on Windows alone, which html/template would
		// leave out as a comment. It is only ever given constants.
		"outlook": func(s string) template.HTML { return template.HTML("<!--[if mso]>" + s + "<![endif]-->") },
	})
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := templateFiles.ReadFile("templates/" + f.Name())
		if err != nil {
			panic(err)
		}
		template.Must(t.Parse(theme.Replace(string(text))))
	}
	return t
}

// A part is a template as it is filled for each reader or each post. To execute
// it every time would take twenty times as long, and longer than all the rest of
// an edition. So it is executed once for each shape of its data, with a mark in
// place of each value: lines without a mark are encoded then, and in the others
// only the values are put in.
//
// T is a struct of strings, which are escaped as text; of bools; and of *pieces,
// each of which stands on a line of its own. Its shape is which of the fields
// are empty, so a template may ask {{if .Field}}, but not for more than that.
// Values stand in text and in quoted attributes, addresses among them are
// checked by whoever gives them.
type part[T any] struct {
	template *template.Template
	theme    *strings.Replacer // what stands in place of var()
	shapes   sync.Map          // uint64 to []chunk
}

// A chunk is some lines of a part.
type chunk struct {
	texts  []string // what stands around values
	fields []int    // the fields of the values, one less than texts
	fixed  piece    // lines without values, encoded
	slot   int      // the field of pieces that stand here; -1: none
}

func newPart[T any](all *template.Template, theme *strings.Replacer, name string) *part[T] {
	return &part[T]{template: all.Lookup(name), theme: theme}
}

// write adds the part to what is written.
func (p *part[T]) write(to *pieces, data T) {
	v := reflect.ValueOf(&data).Elem()
	for _, c := range p.chunks(v) {
		switch {
		case c.slot >= 0:
			to.addAll(v.Field(c.slot).Interface().(*pieces))
		case len(c.fields) == 0:
			to.add(c.fixed)
		default:
			var b strings.Builder
			for i, field := range c.fields {
				b.WriteString(c.texts[i])
				b.WriteString(html.EscapeString(v.Field(field).String()))
			}
			b.WriteString(c.texts[len(c.fields)])
			to.add(newPiece(b.String()))
		}
	}
}

// piece is the part by itself.
func (p *part[T]) piece(data T) piece {
	var all pieces
	p.write(&all, data)
	return all.join()
}

func (p *part[T]) chunks(v reflect.Value) []chunk {
	var shape uint64
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String && f.Len() > 0 || f.Kind() != reflect.String && !f.IsZero() {
			shape |= 1 << i
		}
	}
	if known, ok := p.shapes.Load(shape); ok {
		return known.([]chunk)
	}
	chunks := p.execute(shape)
	p.shapes.Store(shape, chunks)
	return chunks
}

// mark is what stands for a field's value: nothing that html/template would
// escape or refuse anywhere.
func mark(field int) string { return fmt.Sprintf("-value-%02d-", field) }

var marks = regexp.MustCompile(`-value-(\d\d)-`)

// execute makes the chunks of a shape.
func (p *part[T]) execute(shape uint64) []chunk {
	var data T
	v := reflect.ValueOf(&data).Elem()
	for i := range v.NumField() {
		if shape&(1<<i) == 0 {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(mark(i))
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.Set(reflect.ValueOf(&pieces{name: mark(i)}))
		}
	}
	var out bytes.Buffer
	if err := p.template.Execute(&out, data); err != nil {
		panic(fmt.Sprintf("the template %s: %v", p.template.Name(), err))
	}
	var chunks []chunk
	for line := range strings.Lines(p.theme.Replace(out.String())) {
		chunks = addLine(chunks, line, v)
	}
	for i, c := range chunks {
		if c.slot < 0 && len(c.fields) == 0 {
			chunks[i].fixed = newPiece(c.texts[0])
		}
	}
	return chunks
}

// addLine adds a line to the last of chunks, or begins another one with it.
func addLine(chunks []chunk, line string, v reflect.Value) []chunk {
	c := chunk{slot: -1}
	rest := 0
	for _, at := range marks.FindAllStringSubmatchIndex(line, -1) {
		field, _ := strconv.Atoi(line[at[2]:at[3]])
		if v.Field(field).Kind() == reflect.Pointer {
			return append(chunks, chunk{slot: field})
		}
		c.texts, c.fields = append(c.texts, line[rest:at[0]]), append(c.fields, field)
		rest = at[1]
	}
	c.texts = append(c.texts, line[rest:])
	if len(chunks) > 0 {
		last := &chunks[len(chunks)-1]
		if last.slot < 0 && (len(last.fields) == 0) == (len(c.fields) == 0) {
			last.texts[len(last.texts)-1] += c.texts[0]
			last.texts, last.fields = append(last.texts, c.texts[1:]...), append(last.fields, c.fields...)
			return chunks
		}
	}
	return append(chunks, c)
}
