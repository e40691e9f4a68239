package hypertext

import "golang.org/x/net/html/atom"

// A group is a set of kinds of elements that the start of another element can end.
type group uint8

const (
	paragraphs group = 1 << iota
	items
	terms
	controls // of forms
	links
	parts // of tables, and tables

	endsItself = paragraphs | items | terms
)

// groupOf returns the group of an element, 0 for none.
func groupOf(a atom.Atom) group {
	switch a {
	case atom.P:
		return paragraphs
	case atom.Li:
		return items
	case atom.Dd, atom.Dt:
		return terms
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup:
		return parts
	case atom.Select, atom.Option, atom.Optgroup, atom.Button:
		return controls
	case atom.A, atom.Nobr:
		return links
	}
	return 0
}

// closedBy returns the groups that the start of an element can end.
func closedBy(a atom.Atom) group {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main, atom.Menu,
		atom.Nav, atom.Ol,
		atom.P, atom.Search, atom.Section, atom.Summary, atom.Ul, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Pre, atom.Listing, atom.Form, atom.Plaintext, atom.Xmp, atom.Table:
		return paragraphs
	case atom.Li:
		return paragraphs | items
	case atom.Dd, atom.Dt:
		return paragraphs | terms
	case atom.Hr:
		return paragraphs | controls
	case atom.Select, atom.Option, atom.Optgroup, atom.Button, atom.Input, atom.Keygen, atom.Textarea:
		return controls
	case atom.A, atom.Nobr:
		return links
	}
	return 0
}

// isStyle reports whether an element formats text. The parser reopens an unclosed one in each following block.
func isStyle(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong,
		atom.Tt, atom.U:
		return true
	}
	return false
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Embed, atom.Frame, atom.Hr, atom.Image,
		atom.Img,
		atom.Input, atom.Keygen, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// weightOf returns the maximum number of elements that a start tag opens: a cell implies its row and the row's group.
func weightOf(a atom.Atom) int {
	switch a {
	case atom.Td, atom.Th:
		return 3
	case atom.Tr, atom.Col:
		return 2
	}
	return 1
}

// endsWith reports whether an open element always ends with the element around it, as a paragraph does.
func endsWith(a, around atom.Atom) bool {
	switch a {
	case atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
		return !isStyle(around) && around != 0
	}
	return false
}

// isOther reports whether an element can have different parsing rules.
func isOther(a atom.Atom) bool { return a == atom.Svg || a == atom.Math || a == atom.Template }

// isMarker reports whether formatting elements outside of an element stay outside.
func isMarker(a atom.Atom) bool {
	return a == atom.Object || a == atom.Applet || a == atom.Marquee || a == atom.Template
}

// staysForeign reports whether an element that HTML knows may be in SVG or MathML.
func staysForeign(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Audio, atom.Desc, atom.Image, atom.Math, atom.Script, atom.Style, atom.Svg, atom.Title,
		atom.Video,
		atom.Annotation, atom.AnnotationXml, atom.Foreignobject, atom.ForeignObject, atom.Malignmark, atom.Mglyph,
		atom.Mi, atom.Mn, atom.Mo, atom.Ms, atom.Mtext:
		return true
	}
	return false
}
