package mailer

import (
	"bufio"
	"strings"
	"testing"
)

func TestReadReply(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Reply
		ok   bool
	}{
		{"250 2.1.0 Ok\r\n", Reply{250, "2.1.0", "Ok"}, true},
		{"250\r\n", Reply{250, "", ""}, true},                  // RFC 5321 §4.2: the text may be missing
		{"250 ok\n", Reply{250, "", "ok"}, true},               // some servers end lines with LF
		{"550 5.1.1\r\n", Reply{550, "5.1.1", ""}, true},       // only codes
		{"550 2.1.1 no\r\n", Reply{550, "", "2.1.1 no"}, true}, // the class contradicts the code
		{"550 10.0.0.1 no\r\n", Reply{550, "", "10.0.0.1 no"}, true},
		{"452-4.2.2 full\r\n452 4.2.2 try later\r\n", Reply{452, "4.2.2", "full try later"}, true},
		{"250-a\r\n250\r\n", Reply{250, "", "a"}, true},
		{"250 evil\x1b[31m\x07\xff\r\n", Reply{250, "", "evil [31m \uFFFD"}, true}, // people see the text
		{"250-a\r\n550 b\r\n", Reply{}, false},                                     // two replies in one
		{"ok\r\n", Reply{}, false},
		{"25\r\n", Reply{}, false},
		{"2500 x\r\n", Reply{}, false},
		{"100 x\r\n", Reply{}, false},
		{"999 x\r\n", Reply{}, false},
		{"250 cut off", Reply{}, false},
		{"", Reply{}, false},
		{strings.Repeat("250-x\r\n", 1000), Reply{}, false},            // no end
		{"250 " + strings.Repeat("x", 10000) + "\r\n", Reply{}, false}, // no line
	} {
		got, err := readReply(bufio.NewReader(strings.NewReader(test.in)))
		if got != test.want || err == nil != test.ok {
			t.Errorf("%.40q: got %+v, %v; want %+v", test.in, got, err, test.want)
		}
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add("250-2.0.0 a\r\n250 2.0.0 b\r\n")
	f.Add("550 5.7.1 \xff\r\n")
	f.Fuzz(func(t *testing.T, in string) {
		r, err := readReply(bufio.NewReader(strings.NewReader(in)))
		if err != nil {
			if r != (Reply{}) {
				t.Errorf("an error and %+v", r)
			}
			return
		}
		if r.Code < 200 || r.Code > 599 || strings.ContainsAny(r.String(), "\r\n\x00") || len(r.Text) > maxReplyText {
			t.Errorf("%+v", r)
		}
	})
}
