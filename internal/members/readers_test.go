package members

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"digest"
)

func TestReaders(t *testing.T) {
	for _, test := range []struct{ name, list, want string }{
		{"with zones", "email,time_zone\nada@example.org,Europe/Paris\n\nbob@example.org,\n",
			"2 ada@example.org Europe/Paris; 4 bob@example.org "},
		{"addresses alone", "\ufeffEmail\r\nada@example.org\r\n", "2 ada@example.org "},
		{"semicolons, another order", "Time Zone; email\nAsia/Tokyo;ada@example.org\nbob\n",
			"2 ada@example.org Asia/Tokyo; 3  bob"},
		{"a bad line between", "email\n\"a\"b\nbob@example.org\n",
			"line 2: a quotation mark is out of place; inside a quoted field, double it; 3 bob@example.org "},
		{"no header", "ada@example.org,Europe/Paris\n",
			`invalid: "ada@example.org" is not a column of a list of readers; the first line must be: email,time_zone`},
		{"no addresses", "time_zone\nUTC\n",
			"invalid: it has no column email; the first line must be: email,time_zone"},
		{"nothing", "", "invalid: the first line must have the column names: it is empty"},
		{"too many", "email\na\nb\nc\nd\n", "2 a ; 3 b ; 4 c ; invalid: the list has more than 3 lines; split it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r, err := range Readers(strings.NewReader(test.list), 3) {
				p, one := errors.AsType[*Problem](err)
				switch {
				case one:
					got = append(got, fmt.Sprintf("line %d: %s", p.Line, p.Message))
				case err != nil:
					got = append(got, fmt.Sprintf("%s: %v",
						map[bool]string{true: "invalid", false: "odd"}[digest.KindOf(err) == digest.Invalid], err))
				default:
					got = append(got, fmt.Sprintf("%d %s %s", r.Line, r.Email, r.TimeZone))
				}
			}
			if s := strings.Join(got, "; "); s != test.want {
				t.Errorf("%s\nwant %s", s, test.want)
			}
		})
	}
}

func FuzzReaders(f *testing.F) {
	f.Add("email,time_zone\nada@example.org,Europe/Paris\n")
	f.Add("email\n\"\n")
	f.Fuzz(func(t *testing.T, list string) {
		ended := false
		for r, err := range Readers(strings.NewReader(list), 100) {
			if ended {
				t.Fatal("something follows the last error")
			}
			_, one := errors.AsType[*Problem](err)
			ended = err != nil && !one
			if err == nil && r.Line < 2 {
				t.Errorf("%+v", r)
			}
		}
	})
}
