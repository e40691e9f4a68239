package catalogue

import (
	"fmt"
	"html/template"
	"time"

	"digest"
)

// Funcs returns the functions for templates in a language:
//
//	{{t "Paused until %s." .Day}}  a sentence of the catalogue; it is HTML, and its values are escaped
//	{{say .Title}}                 the translation of a Key; other text unchanged
//	{{date "2 January 2006" .At}}  a digest.Date or a time.Time
//	<p {{ours}}>                   lang and dir of the language, within text of another one
func (l *Language) Funcs() template.FuncMap {
	return template.FuncMap{
		"t":    l.HTML,
		"say":  l.Text,
		"date": l.dateOf,
		"ours": func() template.HTMLAttr {
			return template.HTMLAttr(fmt.Sprintf(`lang="%s" dir="%s"`, l.Code, l.Direction))
		},
	}
}

func (l *Language) dateOf(layout string, at any) (string, error) {
	switch at := at.(type) {
	case digest.Date:
		return l.Date(layout, noon(at)), nil
	case time.Time:
		return l.Date(layout, at), nil
	}
	return "", fmt.Errorf("%v is not a date", at)
}
