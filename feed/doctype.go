package feed

import (
	"regexp"
	"strings"
)

// The bounds of what a DOCTYPE declares: entities, the bytes of one's text, and the bytes
// by which a document may grow.
const (
	maxEntities   = 200
	maxEntityText = 4 << 10
	maxGrowth     = 1 << 20
)

// entityDeclaration finds an entity with its text (XML 1.0 §4.2.1). One that has its text
// elsewhere (SYSTEM, PUBLIC), and one for use in the DOCTYPE alone (%), is none.
var entityDeclaration = regexp.MustCompile(`<!ENTITY\s+([\pL_:][\pL\pN._:-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>`)

// numericReference finds a reference to a character.
var numericReference = regexp.MustCompile(`&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});`)

// declaredEntities gives the texts of the entities that are declared before a root. One that refers to others holds theirs, so
// far as they stand before it: nothing refers to itself, and nothing grows without end.
func declaredEntities(before string) map[string]string {
	if !strings.Contains(before, "<!ENTITY") {
		return nil
	}
	texts := map[string]string{}
	for _, m := range entityDeclaration.FindAllStringSubmatch(before, maxEntities) {
		name, text := m[1], m[2]+m[3]
		if _, known := texts[name]; known || holdsAny(" amp lt gt quot apos ", " "+name+" ") {
			continue // the first counts
		}
		if len(text) > maxEntityText {
			continue
		}
		left := maxEntityText - len(text)
		texts[name] = replaceEntities(numericReference.ReplaceAllStringFunc(text, decodeEntities), texts, &left)
	}
	return texts
}

// replaceEntities replaces references outside of CDATA, by as much as is left to grow by.
func replaceEntities(s string, texts map[string]string, left *int) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "&<")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := 1
		if strings.HasPrefix(s, "<![CDATA[") {
			if end = strings.Index(s, "]]>"); end < 0 {
				end = len(s)
			}
		} else if n := nameEnd(s, 1); s[0] == '&' && n < len(s) && s[n] == ';' {
			text, known := texts[s[1:n]]
			if grown := len(text) - n - 1; known && grown <= *left {
				*left -= max(0, grown)
				b.WriteString(text)
				s = s[n+1:]
				continue
			}
		}
		b.WriteString(s[:end])
		s = s[end:]
	}
}
