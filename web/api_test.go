package web_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/web"
)

// A program calls the API with a token.
type program struct {
	*room
	token string
	doc   document
}

// program creates a token on the newsletter's page.
func (r *room) program(v *visitor, slug string, form url.Values) program {
	r.t.Helper()
	r.now = r.now.Add(time.Hour) // the number of new tokens per hour is limited
	page := v.post("/newsletters/"+slug+"/tokens", form).status(http.StatusOK)
	return program{r, page.texts(".notice code")[0], apiDocument(r.t.(*testing.T))}
}

// ask calls a pattern of the API and compares the response with its description.
func (p program) ask(pattern, path, body string) (status int, answer map[string]any) {
	p.t.Helper()
	method, _, _ := strings.Cut(pattern, " ")
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+p.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, req)
	p.described(pattern, w)
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			p.t.Fatalf("%s %s: %v in %s", method, path, err, w.Body)
		}
	}
	return w.Code, answer
}

// described fails the test unless openapi.json describes the response.
func (p program) described(pattern string, w *httptest.ResponseRecorder) {
	p.t.Helper()
	op, ok := p.doc.operation(p.t.(*testing.T), pattern)
	if !ok {
		p.t.Fatalf("%s is not described", pattern)
	}
	answer, ok := op.Responses[strconv.Itoa(w.Code)]
	if !ok {
		answer = op.Responses["default"]
	}
	if len(answer.Content) == 0 {
		if w.Body.Len() > 0 {
			p.t.Errorf("%s answers %d with %s, and nothing is described", pattern, w.Code, w.Body)
		}
		return
	}
	media, ok := answer.Content[w.Header().Get("Content-Type")]
	if !ok {
		p.t.Fatalf("%s answers %d with %s, which is not described: %s", pattern, w.Code, w.Header().Get("Content-Type"),
			w.Body)
	}
	var value any
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		p.t.Fatal(err)
	}
	for _, wrong := range p.doc.check(media.Schema, "answer", value) {
		p.t.Errorf("%s answers %d: %s", pattern, w.Code, wrong)
	}
}

const apiPath = "/api/v1/newsletters/{slug}"

func of(path string) string { return strings.Replace(path, "{slug}", "anna-writes", 1) }

// want calls the API and fails the test unless the response has the status.
func (p program) want(status int, method, path, body string, put ...string) map[string]any {
	p.t.Helper()
	got, answer := p.ask(method+" "+apiPath+path, of(apiPath+strings.NewReplacer(put...).Replace(path)), body)
	if got != status {
		p.t.Errorf("%s %s %s: status %d, want %d: %v", method, path, body, got, status, answer)
	}
	return answer
}

// TestAPIIsDescribed checks that openapi.json describes exactly the routes that exist.
func TestAPIIsDescribed(t *testing.T) {
	var described []string
	for path, methods := range apiDocument(t).Paths {
		for method := range maps.Keys(methods) {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(described)
	if routes := web.Routes("api"); !slices.Equal(described, routes) {
		t.Errorf("described are\n%s, and there are\n%s", strings.Join(described, "\n"), strings.Join(routes, "\n"))
	}
}

// TestAPI calls each operation once.
func TestAPI(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		p := r.program(v, "anna-writes", url.Values{"name": {"My site"}})
		if got := p.want(200, "GET", "", ""); got["name"] != "Letters of anna-writes" || got["members"] != 0.0 ||
			got["days"] != "daily" {
			r.t.Errorf("the newsletter is %v", got)
		}
		got := p.want(200, "PATCH", "",
			`{"name":"Anna writes","days":"sun","deliver_at":"07:30","approve_within":3600,`+
				`"return_urls":["https://anna.example/"],"layout":"excerpts","images":"off",`+
				`"subject_pattern":"{name}: {title}"}`)
		if got["name"] != "Anna writes" || got["days"] != "sun" || got["deliver_at"] != "07:30" ||
			got["approve_within"] != 3600.0 || got["layout"] != "excerpts" ||
			got["subject_pattern"] != "{name}: {title}" {
			r.t.Errorf("changed to %v", got)
		}
		p.want(200, "PATCH", "", `{"days":"daily","approve_within":0}`)
		if got := p.want(200, "PATCH", "", `{"name":null,"return_urls":null,"days":null}`); got["name"] != "Anna writes" ||
			len(got["return_urls"].([]any)) != 1 || got["days"] != "daily" || got["deliver_at"] != "07:30" {
			r.t.Errorf("null changed %v", got)
		}
		const wrong = "invalid JSON: the field name has the wrong type: number"
		if got := p.want(400, "PATCH", "", `{"name":1}`); got["detail"] != wrong {
			r.t.Errorf("a number as name: %v", got)
		}

		mo := p.want(201, "POST", "/members",
			`{"email":"Mo@example.org","time_zone":"Europe/Paris","proof":"by\u202e\u001bletter",`+
				`"asked_at":"2026-05-03T10:00:00Z"}`)
		if form, _ := mo["proof"].(map[string]any)["form"].(string); !strings.HasPrefix(form, "by letter (as ") {
			r.t.Errorf("the proof is kept as %q", form)
		}
		p.want(200, "POST", "/members", `{"email":"mo@example.org","time_zone":"Europe/Paris","proof":"again"}`)
		p.want(201, "POST", "/members", `{"email":"ada@example.org","time_zone":"UTC","proof":"by letter"}`)
		first := p.want(200, "GET", "/members", "")
		if len(first["members"].([]any)) != 2 || first["next"] != "" {
			r.t.Errorf("members: %v", first)
		}
		p.page("/members?limit=1", "mo@example.org", "/members?limit=1&after={next}", "ada@example.org")
		p.page("/members?q=ADA@", "ada@example.org", "", "")
		id := mo["id"].(string)
		if got := p.want(200, "GET", "/members/{id}", "", "{id}", id); got["email"] != "Mo@example.org" ||
			len(got["history"].([]any)) != 1 {
			r.t.Errorf("the member is %v", got)
		}
		p.want(204, "DELETE", "/members/{id}", "", "{id}", id)
		p.want(409, "POST", "/members", `{"email":"mo@example.org","time_zone":"UTC","proof":"I say so"}`)
		if posts := p.want(200, "GET", "/clicks", "")["posts"].([]any); len(posts) != 0 {
			r.t.Errorf("clicks: %v", posts)
		}
		if days := p.want(200, "GET", "/days", "")["days"].([]any); len(days) != 1 ||
			days[0].(map[string]any)["joined"] != 2.0 || days[0].(map[string]any)["left"] != 1.0 {
			r.t.Errorf("days: %v", days)
		}
		p.letters(n)
		if got := p.want(200, "POST", "/hold", ""); got["state"] != "held" {
			r.t.Errorf("held: %v", got)
		}
		p.want(409, "POST", "/hold", "")
		p.want(200, "POST", "/release", "")
		p.want(409, "POST", "/release", "")
		v.get("/newsletters/anna-writes/tokens").contains(".rows", "last used on "+r.now.UTC().Format("2 January 2006"))
	})
}

// page checks that the list at path has the single member first, and its next page the member then.
func (p program) page(path, first, second, then string) {
	p.t.Helper()
	for _, email := range []string{first, then} {
		if email == "" {
			return
		}
		_, got := p.ask("GET "+apiPath+"/members", of(apiPath+path), "")
		if all := got["members"].([]any); len(all) != 1 ||
			!strings.EqualFold(all[0].(map[string]any)["email"].(string), email) {
			p.t.Fatalf("%s: %v, want %s", path, got, email)
		}
		path = strings.Replace(second, "{next}", got["next"].(string), 1)
	}
}

// letters calls the operations for issues.
func (p program) letters(n digest.Newsletter) {
	p.t.Helper()
	next := p.want(200, "GET", "/letters/next", "")
	posts := next["posts"].([]any)
	if len(posts) != 1 || posts[0].(map[string]any)["title"] != "The boat" ||
		!strings.Contains(next["html"].(string), "The boat") {
		p.t.Fatalf("the next letter is %v", next)
	}
	id := posts[0].(map[string]any)["id"].(string)
	p.want(204, "POST", "/posts/{id}/pull", "", "{id}", id)
	p.want(404, "POST", "/posts/{id}/pull", "", "{id}", id)
	p.want(204, "POST", "/posts/{id}/unpull", "", "{id}", id)
	date := next["date"].(string)
	if got := p.want(200, "PATCH", "/letters/{date}",
		`{"subject":"Of boats\n\u202eand seams","note":"\u001bBack.\u202e"}`, "{date}",
		date); got["subject"] != "Of boats and seams" || got["note"] != " Back." {
		p.t.Errorf("decided: %v", got)
	}
	p.want(200, "PATCH", "/letters/{date}", `{"skipped":true}`, "{date}", date)
	p.want(200, "PATCH", "/letters/{date}", `{"skipped":false}`, "{date}", date)
	p.want(422, "PATCH", "/letters/{date}", `{"subject":"`+strings.Repeat("x", 151)+`"}`, "{date}", date)
	p.want(404, "PATCH", "/letters/{date}", `{}`, "{date}", "tomorrow")
	p.want(200, "PATCH", "", `{"approve_within":36000}`)
	p.midnight()
	if got := p.want(200, "GET", "/letters", ""); len(got["waiting"].([]any)) != 1 || len(got["left"].([]any)) != 0 {
		p.t.Errorf("letters: %v", got)
	}
	p.want(200, "POST", "/letters/{date}/approve", "", "{date}", date)
	if got := p.want(200, "GET", "/letters", ""); len(got["waiting"].([]any)) != 0 || len(got["left"].([]any)) == 0 &&
		p.edition(digest.Digest{ID: n.ArchiveID}).SendAt.Before(p.now) {
		p.t.Errorf("letters: %v", got)
	}
}

// TestAPIDoors checks that every operation rejects a request with a cookie, without a token or with
// a wrong one. Wrong tokens are read-only, belong to another newsletter, or to a former editor.
func TestAPIDoors(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		ben, _ := r.publishing("ben@example.org", "ben-writes", "The dog")
		ed, _ := r.user("ed@example.org")
		r.must(r.store.Newsletters.SetRole(r.t.Context(), n.ID, ed.ID, digest.RoleEditor, r.now))
		own := r.program(v, "anna-writes", url.Values{"name": {"mine"}})
		reads := r.program(v, "anna-writes", url.Values{"name": {"reads"}, "reads": {"1"}})
		edits := r.program(r.visitor().signIn(ed), "anna-writes", url.Values{"name": {"edits"}})
		others := r.program(ben, "ben-writes", url.Values{"name": {"other"}})
		nobody := own
		nobody.token = "x"
		edits.want(403, "POST", "/hold", "")
		r.must(r.store.Newsletters.SetRole(r.t.Context(), n.ID, ed.ID, digest.RoleNone, r.now))
		for _, pattern := range web.Routes("api") {
			method, path, _ := strings.Cut(pattern, " ")
			path = of(strings.NewReplacer("{id}", "1", "{date}", "2026-11-21").Replace(path))
			for who, c := range map[string]struct {
				program
				status int
			}{"nobody": {nobody, 401}, "another's": {others, 404}, "whose maker is no editor any more": {edits, 401}} {
				if status, _ := c.ask(pattern, path, "{}"); status != c.status {
					r.t.Errorf("%s: %s answers %d, want %d", who, pattern, status, c.status)
				}
			}
			if status, _ := reads.ask(pattern, path, "{}"); (status == 403) != (method != "GET") {
				r.t.Errorf("one that may only read: %s answers %d", pattern, status)
			}
			if got := v.do(method, path, "application/json", strings.NewReader("{}")); got.StatusCode != 401 {
				r.t.Errorf("with a cookie alone %s answers %d", pattern, got.StatusCode)
			}
		}
		page := v.get("/newsletters/anna-writes/tokens")
		if strings.Contains(page.body, own.token) {
			r.t.Error("a token is shown again")
		}
		v.post(page.attrs(".rows form", "action")[0], nil).status(http.StatusSeeOther)
		own.want(401, "GET", "", "")
		all, err := r.store.Newsletters.NewsletterTokens(r.t.Context(), n.ID)
		r.must(err)
		if len(all) != 1 || all[0].Name != "reads" {
			r.t.Errorf("tokens: %+v", all)
		}
	})
}

// TestAPIBodies checks that invalid bodies are rejected with a helpful message and change nothing.
func TestAPIBodies(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		p := r.program(v, "anna-writes", url.Values{"name": {"mine"}})
		before, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID)
		r.must(err)
		for body, status := range map[string]int{
			`{`: 400, `[]`: 400, `{"slug":"other"}`: 400, `{"state":"active"}`: 400, `{"name":1}`: 400, `{} {}`: 400,
			"\x00":        400,
			`{"name":""}`: 422, `{"days":"never"}`: 422, `{"deliver_at":"25:00"}`: 422,
			`{"approve_within":99999999999999}`: 422, `{"approve_within":64801}`: 422, `{"approve_within":-1}`: 422,
			`{"layout":"x"}`: 422, `{"subject_pattern":"{author}"}`: 422,
			`{"reply_to":"a@b.example\nBcc: c@d.example"}`: 422,
			`{"site":"javascript:alert(1)"}`:               422,
			`{"return_urls":["https://anna.example"]}`:     422, `{"name":"` + strings.Repeat("x", 70_000) + `"}`: 413,
		} {
			p.want(status, "PATCH", "", body)
		}
		for body, status := range map[string]int{
			`{}`: 422, `{"email":"mo","time_zone":"UTC","proof":"x"}`: 422,
			`{"email":"mo@example.org","time_zone":"Mars/Base","proof":"x"}`:                  422,
			`{"email":"mo@example.org","time_zone":"UTC","proof":" "}`:                        422,
			`{"email":"mo@example.org","time_zone":"UTC","proof":"x","asked_at":"yesterday"}`: 400,
		} {
			p.want(status, "POST", "/members", body)
		}
		for _, query := range []string{"limit=0", "limit=101", "limit=x", "after=x", "after=-1", "q=" +
			strings.Repeat("x", 301)} {
			if status, _ := p.ask("GET "+apiPath+"/members", of(apiPath+"/members?"+query), ""); status != 422 {
				r.t.Errorf("%s: status %d", query, status)
			}
		}
		req := httptest.NewRequest("PATCH", of(apiPath), strings.NewReader(`{"name":"x"}`))
		req.Header.Set("Authorization", "Bearer "+p.token)
		w := httptest.NewRecorder()
		r.handler.ServeHTTP(w, req)
		if p.described("PATCH "+apiPath, w); w.Code != http.StatusUnsupportedMediaType {
			r.t.Errorf("without a type: status %d", w.Code)
		}
		if after, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID); err != nil || after != before {
			r.t.Errorf("it was changed: %+v, %v", after, err)
		}
		for m, err := range r.store.Members.Members(r.t.Context(), n.ID, store.MemberQuery{}) {
			r.t.Errorf("a member: %+v, %v", m, err)
		}
	})
}
