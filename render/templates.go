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

// parseTemplates parses the templates for a language, and replaces var() by the values of theme. It panics on errors,
// because the templates are part of the program.
func parseTemplates(theme *strings.Replacer, lang *catalogue.Language) *template.Template {
	t := template.New("").Funcs(lang.Funcs()).Funcs(template.FuncMap{
		// outlook returns HTML for Outlook on Windows only. html/template would remove the comment. The argument is
		// always a constant.
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

// A part is a template that is compiled for fast execution. Executing the template for each post would take longer than
// the rest of an edition. So part executes it once for each shape of its data, with a mark in place of each value. It
// encodes lines without a mark in advance, and inserts only the values into the others.
//
// T is a struct of strings, which are escaped as text; of bools; and of *pieces, each on its own line in the template.
// Its shape is the set of its empty fields, so a template may test {{if .Field}}, but no other condition. The template
// may use values in text and in quoted attributes. Callers check addresses.
type part[T any] struct {
	template *template.Template
	theme    *strings.Replacer // replaces var()
	shapes   sync.Map          // uint64 to []chunk
}

type chunk struct {
	texts  []string // text around the values
	fields []int    // the fields of the values, one fewer than texts
	fixed  piece    // encoded lines without values
	slot   int      // the field of pieces at this position; -1 if none
}

func newPart[T any](all *template.Template, theme *strings.Replacer, name string) *part[T] {
	return &part[T]{template: all.Lookup(name), theme: theme}
}

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

// mark returns the placeholder of a field. html/template neither escapes nor rejects it anywhere.
func mark(field int) string { return fmt.Sprintf("-value-%02d-", field) }

var marks = regexp.MustCompile(`-value-(\d\d)-`)

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

// addLine adds a line to the last chunk, or to a new one.
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
