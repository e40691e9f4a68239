package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

const urlencoded = "application/x-www-form-urlencoded"

// TestOneClick checks the requirements of RFC 8058 §3.2 for the address in List-Unsubscribe.
func TestOneClick(t *testing.T) {
	var parts bytes.Buffer
	form := multipart.NewWriter(&parts)
	if err := form.WriteField("List-Unsubscribe", "One-Click"); err != nil {
		t.Fatal(err)
	}
	form.Close()
	const body = "List-Unsubscribe=One-Click"
	for _, c := range []struct {
		name, contentType, body, origin, site string
		status                                int // 200: it unsubscribes; otherwise nothing changes
	}{
		{"urlencoded", urlencoded, body, "", "", 200},
		{"with a charset", urlencoded + "; charset=UTF-8", body, "", "", 200},
		{"with other fields", urlencoded, "a=b&" + body, "", "", 200},
		{"multipart", form.FormDataContentType(), parts.String(), "", "", 200},
		{"mail program in a browser", urlencoded, body, "https://mail.example", "cross-site", 200},
		{"opaque origin", urlencoded, body, "null", "cross-site", 200},
		{"no body", urlencoded, "", "", "same-origin", 400},
		{"no type at all", "", "", "", "", 400},
		{"no type, the right body", "", body, "", "", 400},
		{"broken multipart", "multipart/form-data", "x", "", "", 400},
		{"text", "text/plain; charset=utf-8", body, "", "", 400},
		{"JSON", "application/json", `{"List-Unsubscribe":"One-Click"}`, "", "", 400},
		{"another value", urlencoded, "List-Unsubscribe=No&was=left", "", "", 400},
		{"what a gateway sends", urlencoded, "url=https%3A%2F%2Fdigest.example", "https://gateway.example",
			"cross-site", 400},
		{"bytes", "application/octet-stream", "\x00\xff%zz&&=;", "", "", 400},
		{"more than a form holds", urlencoded, "a=" + strings.Repeat("a", 1<<20), "", "", 413},
		{"much after it", form.FormDataContentType(), parts.String() + strings.Repeat("a", 1<<20), "", "", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(r *room) {
				_, d := r.user("ann@example.org")
				v := r.visitor()
				v.from(c.origin, c.site)
				for range 2 { // a repeated request gets the same response
					a := v.do("POST", r.unsubscribePath(d), c.contentType, strings.NewReader(c.body)).status(c.status)
					if a.Header.Get("Set-Cookie") != "" || a.Header.Get("Location") != "" {
						r.t.Errorf("a cookie or a redirect: %v", a.Header)
					}
					switch c.status {
					case http.StatusOK:
						a.shows("h1", "Unsubscribed from Daily Digest")
						r.stands(d, digest.DigestLeft)
						continue
					case http.StatusBadRequest:
						a.shows("h1", "Unsubscribe from Daily Digest?")
					}
					r.stands(d, digest.DigestActive)
				}
			})
		})
	}
}

func TestUnsubscribeFlippedBit(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		path := r.unsubscribePath(d)
		tokens := []string{r.signer.Sign(digest.ForEdition, int64(d.ID)), r.token(u), "", "1", "%2e%2e"}
		_, token, _ := strings.Cut(path[1:], "/")
		for i := range token {
			tokens = append(tokens, token[:i]+string(token[i]^1)+token[i+1:])
		}
		pause := url.Values{"for": {"week"}, "days": {"mon"}}
		for _, token := range tokens {
			v := r.visitor()
			for _, a := range []answer{v.post("/unsubscribe/"+token, nil), v.get("/unsubscribe/" + token),
				v.post("/unsubscribe/"+token+"/undo", nil), v.post("/unsubscribe/"+token+"/pause", pause),
				v.post("/unsubscribe/"+token+"/resume", nil), v.post("/unsubscribe/"+token+"/days", pause)} {
				if a.StatusCode == http.StatusOK {
					r.t.Errorf("%s %s: %d", a.Request.Method, a.Request.URL.Path, a.StatusCode)
				}
			}
		}
		r.stands(d, digest.DigestActive)
	})
}
