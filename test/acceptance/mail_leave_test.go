package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
)

// serving runs the web view at DIGEST_BASE_URL during f.
func (o *office) serving(f func()) {
	o.t.Helper()
	h, _ := o.through()
	ctx, stop := context.WithCancel(o.t.Context())
	cmd := h.command(ctx, "--now", instant(o.now), "serve")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	for _, setting := range h.settings {
		if address, ok := strings.CutPrefix(setting, "DIGEST_LISTEN="); ok {
			patientDial(o.t, address).Close()
		}
	}
	f()
	stop()
	cmd.Wait() //nolint:errcheck // it was interrupted
}

func (o *office) leaveURL(email string) string {
	o.t.Helper()
	url := ""
	for _, a := range o.server.kept() {
		if a.to == email {
			p, _ := examine(a.raw, o.keys)
			url, _, _ = strings.Cut(strings.TrimPrefix(p.header.Get("List-Unsubscribe"), "<"), ">")
			if p.header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
				o.t.Errorf("List-Unsubscribe-Post: %q", p.header.Get("List-Unsubscribe-Post"))
			}
		}
	}
	if url == "" {
		o.t.Fatalf("%s has had no mail", email)
	}
	return url
}

// click posts like a mail program: without cookies and without following redirects.
func (o *office) click(url, contentType string, body []byte) (status int) {
	o.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Post(url, contentType, bytes.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body) //nolint:errcheck // only the status counts
	return res.StatusCode
}

// TestMailLeave checks that a click on unsubscribe stops all mail: tomorrow's, mail that waits for its hour, and mail
// that waits for a busy server. Opening the page does nothing, nor does a forged address.
func TestMailLeave(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		o := newOffice(t, database, 5)
		address := program.FreeAddress(t)
		o.house.set("DIGEST_BASE_URL=http://"+address, "DIGEST_LISTEN="+address)
		emails := []string{"form@example.org", "multipart@example.org", "waits@example.org", "busy@example.org",
			"looks@example.org", "forged@example.org", "twice@example.org"}
		o.add(firstMidnight().Add(oneDay), "UTC", emails...)
		o.at(o.now, "user", "set", "waits@example.org", "--deliver-at", "07:00")
		o.day(firstMidnight(), 0, 10*time.Minute)
		o.day(firstMidnight(), 6*time.Hour+50*time.Minute, 8*time.Hour+10*time.Minute)

		o.set(firstMidnight().Add(oneDay))
		o.server.follow(mailbox(map[string]string{"busy@example.org": "450 4.2.1 busy"}))
		forms := map[string]string{"form@example.org": "urlencoded", "multipart@example.org": "multipart",
			"twice@example.org": "urlencoded"}
		o.set(firstMidnight().Add(22 * time.Hour))
		o.serving(func() {
			for email, kind := range forms {
				o.leave(email, kind)
			}
			o.leave("twice@example.org", "multipart")
			o.look("looks@example.org")
			if status := o.click(flipURL(o.leaveURL("forged@example.org")), "application/x-www-form-urlencoded",
				[]byte("List-Unsubscribe=One-Click")); status < 400 {
				t.Errorf("a forged address: status %d", status)
			}
		})
		o.day(firstMidnight().Add(oneDay), 0, 4*time.Minute) // busy gets a retry, waits waits
		o.set(firstMidnight().Add(oneDay + 4*time.Minute))
		o.serving(func() {
			o.leave("waits@example.org", "urlencoded")
			o.leave("busy@example.org", "urlencoded")
		})
		for _, email := range []string{"waits@example.org", "busy@example.org"} {
			o.mute[email] = o.now
		}
		o.server.follow(noFaults)
		o.day(firstMidnight().Add(oneDay), 5*time.Minute, 12*time.Hour)
		if j := o.hold(); j.messages != 7+2 {
			t.Errorf("%d messages, want 7 and then 2", j.messages)
		}
	})
}

func (o *office) leave(email, kind string) {
	o.t.Helper()
	body, contentType := []byte("List-Unsubscribe=One-Click"), "application/x-www-form-urlencoded"
	if kind == "multipart" {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		form.WriteField("List-Unsubscribe", "One-Click") //nolint:errcheck // to memory
		form.Close()                                     //nolint:errcheck
		body, contentType = b.Bytes(), form.FormDataContentType()
	}
	if status := o.click(o.leaveURL(email), contentType, body); status != http.StatusOK {
		o.t.Errorf("%s leaves by %s: status %d", email, kind, status)
	}
	o.mute[email] = o.now
}

// look opens the page, like link scanners.
func (o *office) look(email string) {
	o.t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		req, _ := http.NewRequest(method, o.leaveURL(email), nil)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			o.t.Fatal(err)
		}
		page, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK || method == http.MethodGet && !strings.Contains(string(page), "<button") {
			o.t.Errorf("%s: status %d, %d octets", method, res.StatusCode, len(page))
		}
	}
}

// flipURL changes a letter in the middle of an address's last segment.
func flipURL(url string) string {
	i := strings.LastIndexByte(url, '/') + 4
	return url[:i] + fmt.Sprintf("%c", 'a'+(url[i]-'a'+1)%26) + url[i+1:]
}
