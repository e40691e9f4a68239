package feed

import (
	"regexp"
	"slices"
	"strings"
)

var (
	mailThenName = regexp.MustCompile(`^(?:mailto:)?[^\s@()<>]+@[^\s@()<>]+\s*\(([^()]+(?:\([^()]*\)[^()]*)*)\)$`)
	nameThenMail = regexp.MustCompile(`^(.*?)\s*[(<\[]\s*(?:mailto:)?[^\s@()<>]+@[^\s@()<>]+\s*[)>\]]$`)
	nameOpenMail = regexp.MustCompile(`^(.+?),?\s+[^\s@()<>]+@[^\s@()<>]+\.[^\s@()<>]+$`)
	emptyAtEnd   = regexp.MustCompile(`\s*(?:\(\s*\)?|<\s*>?|\[\s*\]?)$`)
	mailOpenName = regexp.MustCompile(`^[^\s@()<>]+@[^\s@()<>]+\.[^\s@()<>,]+,?\s+(?:-\s+)?(.+)$`)
)

// personName returns the name in "mail (name)", "name <mail>" and similar forms; without a name it returns the email
// address.
func personName(s string) string {
	s = plainLine(strings.ToValidUTF8(s[:min(len(s), 4*maxName)], ""), unsaid)
	s = strings.TrimSpace(emptyAtEnd.ReplaceAllString(s, ""))              // the name was only markup
	if n := strings.Count(s, "@"); n == 0 || n > 2 || len(s) > 2*maxName { // the forms below have one email address
		return s
	}
	for _, form := range []*regexp.Regexp{mailThenName, nameThenMail, nameOpenMail, mailOpenName} {
		if m := form.FindStringSubmatch(s); m != nil && strings.TrimSpace(m[1]) != "" {
			return strings.Trim(strings.TrimSpace(m[1]), `"`)
		}
	}
	return strings.TrimPrefix(strings.Trim(s, "<>()"), "mailto:")
}

// namePart returns the name of an author written as elements: <name>Ann</name><title>Editor</title>. It returns any
// other author unchanged.
func namePart(author string) string {
	_, name, found := strings.Cut(author, "<name>")
	if !found {
		return author
	}
	name, _, _ = strings.Cut(name, "</name>")
	return name
}

func firstPerson(all []string) string {
	for _, s := range all {
		if name := personName(s); name != "" {
			return name
		}
	}
	return ""
}

func people(all []string) string {
	var names []string
	for _, s := range all {
		if name := personName(s); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
