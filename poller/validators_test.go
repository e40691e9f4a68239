package poller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestS3_ETagByteForByte checks odd ETags and none, with and without a Last-Modified. Each received validator is sent
// back, and no other (S2).
func TestS3_ETagByteForByte(t *testing.T) {
	for _, etag := range []string{`"a"`, `W/"a"`, `w/"a"`, `"a-gzip"`, `"a;br"`, `foo`, `""`, `"größe"`, `"a b"`,
		`"a,b"`, `"a\"b"`, `'a'`, `"a`, ``} {
		echoes(t, etag, ``)
		echoes(t, etag, monday)
	}
}

// TestS4_LastModifiedByteForByte holds that a Last-Modified is an opaque string, and that no other date is
// sent.
func TestS4_LastModifiedByteForByte(t *testing.T) {
	for _, lm := range []string{monday, "Mon, 16 Nov 2026 08:00:00 +0000", "Mon, 16 Nov 2026 08:00:00 UTC",
		"Mon, 16 Nov 2026 08:00:00 GMT+1",
		"Monday, 16-Nov-26 08:00:00 GMT", "Mon Nov 16 08:00:00 2026", "Sun, 16 Nov 2026 08:00:00 GMT",
		"Thu, 01 Jan 1970 00:00:00 GMT", "2026-11-16", "yesterday", "0"} {
		echoes(t, ``, lm)
		echoes(t, `"a"`, lm)
	}
}

// echoes checks the validators that a poll sends after a 200 with them.
func echoes(t *testing.T, etag, lm string) {
	t.Helper()
	header := []string{"Date: " + tuesday}
	if etag != "" {
		header = append(header, "ETag: "+etag)
	}
	if lm != "" {
		header = append(header, "Last-Modified: "+lm)
	}
	s := newSite(t, nil)
	s.says(200, atom(1), header...)
	r := started(t, s, head(HeadNever))
	r.poll()
	log := asked(t, s, "GET")
	sent(t, log[0], "If-None-Match", etag)
	sent(t, log[0], "If-Modified-Since", lm)
}

// TestValidatorsThatCannotBeKept holds that a validator that cannot be stored byte for byte is not sent.
func TestValidatorsThatCannotBeKept(t *testing.T) {
	for _, etag := range []string{"\"\xe4\"", `"` + strings.Repeat("a", 3000) + `"`} {
		s := newSite(t, nil)
		s.says(200, atom(1), "ETag: "+etag, "Last-Modified: "+monday)
		r := started(t, s, head(HeadNever))
		r.poll()
		log := asked(t, s, "GET")
		sent(t, log[0], "If-None-Match", "")
		sent(t, log[0], "If-Modified-Since", monday)
	}
}

// A step is an answer, and the validators that are stored after it.
type step struct {
	status, version int
	etag, lm        string // of the answer
	inm, ims        string // sent by the next poll
}

// walk polls a sequence of answers. After each, it checks the stored validators in the record and in the
// next request.
func walk(t *testing.T, steps ...step) {
	t.Helper()
	s, r := newFeed(t, nil, head(HeadNever))
	for i, step := range append(steps, step{status: 500}) {
		var h []string
		if step.etag != "" {
			h = append(h, "ETag: "+step.etag)
		}
		if step.lm != "" {
			h = append(h, "Last-Modified: "+step.lm)
		}
		s.says(step.status, atom(step.version), h...)
		r.poll()
		log := asked(t, s, "GET")
		if i > 0 {
			sent(t, log[0], "If-None-Match", steps[i-1].inm)
			sent(t, log[0], "If-Modified-Since", steps[i-1].ims)
		}
		if i < len(steps) && (r.feed.ETag != step.inm || r.feed.LastModified != step.ims) {
			t.Errorf("step %d: kept %q %q", i+1, r.feed.ETag, r.feed.LastModified)
		}
	}
}

// TestValidatorsOfEachStep checks S5 to S10.
func TestValidatorsOfEachStep(t *testing.T) {
	for why, steps := range map[string][]step{
		"S5: what is no longer sent is not kept": {
			{200, 1, `"1"`, monday, `"1"`, monday},
			{200, 1, ``, monday, ``, monday},
			{200, 2, `"2"`, ``, `"2"`, ``},
			{200, 2, ``, ``, ``, ``},
			{200, 2, ``, ``, ``, ``},
		},
		"S6: a touched file": {{200, 1, `"1"`, monday, `"1"`, monday}, {200, 1, `"2"`, tuesday, `"2"`, tuesday}},
		"S7: one of them changes": {
			{200, 1, `"1"`, monday, `"1"`, monday},
			{200, 2, `"2"`, monday, `"2"`, monday},
			{200, 3, `"2"`, tuesday, `"2"`, tuesday},
		},
		"S8: a 304 brings another date": {
			{200, 1, `"1"`, monday, `"1"`, monday},
			{304, 0, `"1"`, tuesday, `"1"`, tuesday},
			{304, 0, ``, ``, `"1"`, tuesday},
			{304, 0, ``, monday, `"1"`, monday},
		},
		"S9: a 304 with another ETag": {{200, 1, `"1"`, monday, `"1"`, monday},
			{304, 0, `"9"`, tuesday, `"1"`, monday}},
		"S10: always those of the latest 200": {
			{200, 1, `"A"`, monday, `"A"`, monday},
			{200, 2, `"B"`, tuesday, `"B"`, tuesday},
			{200, 1, `"A"`, monday, `"A"`, monday},
			{200, 2, `"B"`, tuesday, `"B"`, tuesday},
		},
	} {
		t.Run(why, func(t *testing.T) { walk(t, steps...) })
	}
}

// TestS11_ValidatorsDoNotExpire holds that validators stay after a year, in another process, and with a
// newer parser. The result also contains the document, so that it can be stored.
func TestS11_ValidatorsDoNotExpire(t *testing.T) {
	s, r := newFeed(t, good(1, "Content-Type: application/atom+xml"))
	first := r.want(Changed)
	if string(first.Body) != atom(1) || !strings.HasPrefix(first.ContentType, "application/atom+xml") ||
		first.Address != s.url("/feed") {
		t.Errorf("%q %s %s", first.Body, first.ContentType, first.Address)
	}
	s.log()
	again := newReader(t, s.url("/feed"))
	again.feed, again.feed.Parser = r.feed, 0
	again.watch.pass(400 * day1)
	if result := again.want(Unchanged); result.Body != nil || result.Document != nil || again.feed.Parser != 0 {
		t.Errorf("%+v", result)
	}
	sent(t, asked(t, s, "HEAD")[0], "If-None-Match", `"1"`)
	doc, err := again.p.Read(t.Context(), first.Body, first.ContentType, first.Address)
	if err != nil || len(doc.Posts) != 1 {
		t.Error(doc, err)
	}
}

// TestS12_ValidatorsStayAtTheirAddress holds that no validator is sent to another path or host, or with
// other credentials.
func TestS12_ValidatorsStayAtTheirAddress(t *testing.T) {
	s := newSite(t, good(1))
	r := started(t, s)
	was := r.feed
	for _, address := range []string{"/feed?x", "/Feed", "/feed/"} {
		r.feed = was
		r.feed.URL = s.url(address)
		r.poll()
		for _, q := range s.log() {
			sent(t, q, "If-None-Match", "")
			sent(t, q, "If-Modified-Since", "")
		}
	}
	for _, user := range []string{"me:secret@", "me:other@"} {
		r.feed = was
		r.feed.URL = "http://" + user + s.address + "/feed"
		r.poll()
		for _, q := range s.log() {
			sent(t, q, "If-None-Match", "")
		}
	}
}

// TestS36_PingCastsDoubt has a server whose ETag never changes. After a ping that no poll confirms, one
// plain GET detects that, and its 304 is not trusted any longer.
func TestS36_PingCastsDoubt(t *testing.T) {
	stuck := func(version int) func(request) string { // always 304, whatever the document
		return conditional(atom(version), `"1"`, monday)
	}
	s := newSite(t, stuck(1))
	r := started(t, s)
	s.answers(stuck(2))
	r.want(Unchanged)
	r.want(Unchanged)
	s.log()
	r.feed.PingedAt = r.watch.now()
	r.want(Unchanged)
	sent(t, asked(t, s, "GET")[0], "If-None-Match", `"1"`)
	if !r.feed.ValidatorsDoubted || !r.feed.PingedAt.IsZero() {
		t.Fatalf("%+v", r.feed)
	}
	s.says(500, "") // decides nothing
	r.want(Failed)
	s.answers(stuck(2))
	r.want(Changed)
	for _, q := range asked(t, s, "GET GET") {
		sent(t, q, "If-None-Match", "")
		sent(t, q, "If-Modified-Since", "")
	}
	if r.feed.ValidatorsDoubted || r.feed.Conditional != digest.Lies || r.feed.Head != digest.Useless ||
		r.feed.OwnInterval < inFull {
		t.Errorf("%+v", r.feed)
	}
	for version := 3; version < 6; version++ { // after a wrong 304, the document is requested once a day
		s.answers(stuck(version))
		r.want(Changed)
		r.want(Unchanged)
	}
	s.log()
	s.answers(conditional(atom(7), `"7"`, tuesday))
	r.want(Changed) // its validators have changed
	sent(t, asked(t, s, "GET")[0], "If-None-Match", "")
	r.want(Unchanged)
	if q := s.log(); len(q) != 1 || r.feed.Conditional == digest.Lies {
		t.Errorf("%d requests; %+v", len(q), r.feed)
	} else {
		sent(t, q[0], "If-None-Match", `"7"`)
	}
}

// TestS36_NoDoubt lists pings that cause no doubt: a ping answered by news or by the whole document, one
// within a day of it, and one whose poll failed.
func TestS36_NoDoubt(t *testing.T) {
	tests := []struct {
		why    string
		answer func(request) string
		pass   time.Duration
	}{
		{"news", good(2), day1},
		{"the same bytes", says(200, atom(1), `ETag: "1"`), day1},
		{"within a day", good(1), -time.Hour},
		{"an error", says(500, ""), day1},
	}
	for _, test := range tests {
		s := newSite(t, good(1))
		r := started(t, s, head(HeadNever))
		s.answers(test.answer)
		r.feed.PingedAt = r.watch.now()
		r.watch.pass(test.pass)
		if r.poll(); r.feed.ValidatorsDoubted || !r.feed.PingedAt.IsZero() {
			t.Errorf("%s: %+v", test.why, r.feed)
		}
	}
	s := newSite(t, good(1))
	r := started(t, s)
	r.feed.ValidatorsDoubted = true
	r.want(Unchanged) // the same document: the validators were right
	if r.feed.ValidatorsDoubted || r.feed.Conditional == digest.Useless || r.feed.Head == digest.Useless {
		t.Errorf("%+v", r.feed)
	}
}

// apache is a server whose ETag names a coding that it does not recognise. A condition with it never
// matches, and hides the condition by date.
func apache(version int, etag string) func(request) string {
	return func(r request) string {
		_, hasINM := r.get("If-None-Match")
		ims, _ := r.get("If-Modified-Since")
		header := []string{"ETag: " + etag, "Last-Modified: " + monday}
		if !hasINM && ims == monday {
			return reply(r, 304, "", header...)
		}
		return reply(r, 200, atom(version), header...)
	}
}

// TestS37_ETagInTheWay holds that after three full answers with the same bytes and ETag, only the date is
// sent. Two are enough if the ETag names a coding. The result is remembered when the document changes.
func TestS37_ETagInTheWay(t *testing.T) {
	for etag, want := range map[string]int{`"1-gzip"`: 2, `"1-br"`: 2, `W/"1;gzip"`: 2, `"1"`: 3} {
		s, r := newFeed(t, apache(1, etag))
		full, polls := 0, 0
		for ; polls < 40 && r.feed.Conditional != digest.Works; polls++ {
			r.poll()
			for _, q := range s.log() {
				if _, ok := q.get("If-None-Match"); q.method == "GET" && (ok || polls == 0) {
					full++
				}
			}
		}
		if full != want || !r.feed.ByDate || r.feed.Conditional != digest.Works || r.feed.ETag != etag {
			t.Fatalf("%s: %d full answers in %d polls: %+v", etag, full, polls, r.feed)
		}
		s.answers(apache(2, etag))
		r.feed.LastModified = tuesday // the server's date is another one, so the feed changed
		r.want(Changed)
		for range 5 {
			r.want(Unchanged)
		}
		for _, q := range asked(t, s, "GET GET GET GET GET GET") {
			sent(t, q, "If-None-Match", "")
		}
		if r.feed.OwnInterval >= day1 {
			t.Errorf("%s: slowed to %v", etag, r.feed.OwnInterval)
		}
	}
}

// TestS37_InVain holds that if the date does not help, both are sent again, and that it is not tried again
// with that ETag.
func TestS37_InVain(t *testing.T) {
	deaf := func(version int, etag string) func(request) string {
		return says(200, atom(version), "ETag: "+etag, "Last-Modified: "+monday)
	}
	s := newSite(t, deaf(1, `"1-gzip"`))
	r := started(t, s, head(HeadNever))
	byDate := 0
	for i := range 60 {
		if i == 30 {
			s.answers(deaf(2, `"2-gzip"`))
		}
		r.poll()
		q := asked(t, s, "GET")[0]
		if _, ok := q.get("If-None-Match"); !ok {
			byDate++
		}
	}
	if byDate != 2 || r.feed.ByDate || r.feed.Conditional != digest.Useless || r.feed.OwnInterval < day1 {
		t.Errorf("%d conditions by date alone: %+v", byDate, r.feed)
	}
}

// TestS37_WithoutADate holds that a server without dates gets the ETag.
func TestS37_WithoutADate(t *testing.T) {
	s := newSite(t, says(200, atom(1), `ETag: "1-gzip"`))
	r := started(t, s, head(HeadNever))
	for range 10 {
		r.want(Unchanged)
		sent(t, asked(t, s, "GET")[0], "If-None-Match", `"1-gzip"`)
	}
	if r.feed.ByDate {
		t.Error(fmt.Sprint(r.feed))
	}
}
