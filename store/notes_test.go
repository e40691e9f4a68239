package store_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"digest"
)

// TestProxyNotes: the last note of each trouble stays until the web view starts again.
func TestProxyNotes(t *testing.T) {
	each(t, func(w world) {
		notes := func() []digest.ProxyNote {
			w.Helper()
			got := must(w.Operator.ProxyNotes(w.ctx))
			return got
		}
		near, far := netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("2001:db8::7")
		w.ok(w.Operator.NoteProxy(w.ctx, digest.ProxyNote{Trouble: digest.ProxyUnnamed, Peer: far, At: noon}))
		w.ok(w.Operator.NoteProxy(w.ctx, digest.ProxyNote{Trouble: digest.ProxyUnnamed, Peer: near,
			At: noon.Add(time.Hour)}))
		w.ok(w.Operator.NoteProxy(w.ctx, digest.ProxyNote{Trouble: digest.ProxySilent, Peer: far, At: noon}))
		want(w, "notes", fmt.Sprint(notes()), fmt.Sprint([]digest.ProxyNote{
			{Trouble: digest.ProxySilent, Peer: far, At: noon},
			{Trouble: digest.ProxyUnnamed, Peer: near, At: noon.Add(time.Hour)}}))
		w.ok(w.Operator.ForgetProxies(w.ctx))
		want(w, "after a start", len(notes()), 0)
		want(w, "other settings stay", len(must(w.Secret(w.ctx))) > 0, true)
	})
}
