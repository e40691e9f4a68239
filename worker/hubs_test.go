package worker

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"digest/poller"
)

// TestAskHosts holds that a slow host delays no other, and that a host gets one request at a time. A silent
// host gets no second request: the other requests get its result.
func TestAskHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		begin := time.Now()
		var mu sync.Mutex
		var asked, noted []string
		write := func(to *[]string, s string) {
			mu.Lock()
			defer mu.Unlock()
			*to = append(*to, s+" "+time.Since(begin).String())
		}
		to := func(r string) requestHost {
			u, err := url.Parse(r)
			if err != nil {
				t.Fatal(err)
			}
			return requestHost{u.Hostname(), u.Query().Has("public")}
		}
		ask := func(_ context.Context, r string) poller.FormAnswer {
			write(&asked, r)
			switch {
			case strings.Contains(r, "silent"):
				time.Sleep(30 * time.Second)
				return poller.FormAnswer{Why: "no answer"}
			case strings.Contains(r, "slow"):
				time.Sleep(10 * time.Second)
			}
			return poller.FormAnswer{Status: 202}
		}
		note := func(r string, said poller.FormAnswer, _ bool) error {
			write(&noted, r+" "+said.Why)
			return nil
		}
		want := func(what string, got []string, want ...string) {
			t.Helper()
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %q", what, got)
			}
		}
		if err := askHosts(ctx, []string{"http://silent.example/1", "http://slow.example/1", "http://silent.example/2",
			"http://slow.example/2", "http://quick.example/"}, to, ask, note); err != nil {
			t.Fatal(err)
		}
		want("asked", asked, "http://quick.example/ 0s", "http://silent.example/1 0s", "http://slow.example/1 0s",
			"http://slow.example/2 10s")
		want("noted", noted, "http://quick.example/  0s", "http://silent.example/1 no answer 30s",
			"http://silent.example/2 no answer 30s",
			"http://slow.example/1  10s", "http://slow.example/2  20s")
		// A request of a public feed may be rejected unsent. The request of a home feed to the same host is
		// sent anyway.
		asked, noted = nil, nil
		begin = time.Now()
		refused := func(ctx context.Context, r string) poller.FormAnswer {
			if said := ask(ctx, r); !strings.Contains(r, "public") {
				return said
			}
			return poller.FormAnswer{Why: "not public"}
		}
		if err := askHosts(ctx, []string{"http://home.example/1?public", "http://home.example/2",
			"http://home.example/3?public"}, to, refused, note); err != nil {
			t.Fatal(err)
		}
		want("asked", asked, "http://home.example/1?public 0s", "http://home.example/2 0s")
		want("noted", noted, "http://home.example/1?public not public 0s", "http://home.example/2  0s",
			"http://home.example/3?public not public 0s")
		// A stopped request is not stored, so it becomes due again.
		asked, noted = nil, nil
		time.AfterFunc(time.Second, stop)
		if err := askHosts(ctx, []string{"http://silent.example/1", "http://silent.example/2"}, to, ask,
			note); err != nil || len(noted) != 0 || len(asked) != 1 {
			t.Errorf("%v, %q, %q", err, asked, noted)
		}
	})
}

// TestHubDomain holds that all spellings of a host, and all addresses of an IPv6 site, are one domain.
func TestHubDomain(t *testing.T) {
	for _, test := range []struct {
		address string
		outside bool
		want    string
	}{
		{"https://push.hub.example/a", true, "hub.example"},
		{"https://hub.example:8443/b", true, "hub.example"},
		{"https://nas.example/", false, "home nas.example"},
		{"http://192.0.2.1/", true, "192.0.2.1"},
		{"http://[::ffff:c000:201]:81/", true, "192.0.2.1"},
		{"http://[2001:db8::1]/", true, "2001:db8::/64"},
		{"http://[2001:db8:0:0:1::2]/", true, "2001:db8::/64"},
	} {
		if got := hubDomain(test.address, test.outside); got != test.want {
			t.Errorf("hubDomain(%q, %v) = %q, want %q", test.address, test.outside, got, test.want)
		}
	}
}
