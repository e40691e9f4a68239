package feed

import (
	"regexp"
	"strings"
)

// The limits for the declarations of a DOCTYPE: the number of entities, the bytes of one text, and the bytes by which
// a document may grow.
const (
	maxEntities   = 200
	maxEntityText = 4 << 10
	maxGrowth     = 1 << 20
)

// entityDeclaration matches an entity with its text (XML 1.0 §4.2.1). It matches no external entities (SYSTEM,
// PUBLIC) and no parameter entities (%).
var entityDeclaration = regexp.MustCompile(`<!ENTITY\s+([\pL_:][\pL\pN._:-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>`)

var numericReference = regexp.MustCompile(`&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});`)

// declaredEntities returns the texts of the entities that before, the part of a document before its root, declares.
// It expands references only to earlier entities, so that no text refers to itself or grows without limit.
func declaredEntities(before string) map[string]string {
	if !strings.Contains(before, "<!ENTITY") {
		return nil
	}
	texts := map[string]string{}
	for _, m := range entityDeclaration.FindAllStringSubmatch(before, maxEntities) {
		name, text := m[1], m[2]+m[3]
		if _, known := texts[name]; known || holdsAny(" amp lt gt quot apos ", " "+name+" ") {
			continue // the first declaration counts
		}
		if len(text) > maxEntityText {
			continue
		}
		left := maxEntityText - len(text)
		texts[name] = replaceEntities(numericReference.ReplaceAllStringFunc(text, decodeEntities), texts, &left)
	}
	return texts
}

// replaceEntities replaces references outside of CDATA, unless they would grow s by more than *left bytes in total.
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
