package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestChangesAreLogged checks that changes of signed-in readers are logged with the route instead
// of the path. Requests of strangers and GETs are not logged.
func TestChangesAreLogged(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ada@example.org")
		me, stranger := r.visitor().signIn(u), r.visitor()
		before := r.log.String()
		me.get("/settings").status(http.StatusOK)
		stranger.post("/sign-in", url.Values{"email": {"nobody@example.org"}})
		stranger.post("/settings/zone", url.Values{"zone": {"Asia/Tokyo"}})
		if said := strings.TrimPrefix(r.log.String(), before); strings.Contains(said, "form submitted") {
			t.Errorf("%s", said)
		}
		me.post("/operator/readers/17/resend", nil).status(http.StatusNotFound)
		said := r.log.String()
		for _, want := range []string{
			`level=INFO msg="form submitted" route="POST /operator/readers/{id}/resend" status=404 reader=1 took=`} {
			if !strings.Contains(said, want) {
				t.Errorf("no %s in %s", want, said)
			}
		}
		if strings.Contains(said, "/17/") || strings.Contains(said, "ada@") {
			t.Errorf("the path or an address is logged: %s", said)
		}
	})
}
