package confirmations_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/internal/confirmations"
	"digest/mailer"
	"digest/newsletter"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// A mailServer accepts what answer allows. It calls answer with RCPT or DOT, and the address.
type mailServer struct {
	net.Listener
	mu       sync.Mutex
	answer   func(stage, to string) string // "" accepts, "-" hangs up
	accepted []string
}

func newMailServer(t *testing.T) *mailServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailServer{Listener: l, answer: func(string, string) string { return "" }}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *mailServer) says(stage, to, usual string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reply := s.answer(stage, to); reply != "" {
		return reply
	}
	return usual
}

func (s *mailServer) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	say := func(reply string) bool {
		if reply == "-" {
			return false
		}
		_, err := io.WriteString(c, reply+"\r\n")
		return err == nil
	}
	ok, to := say("220 here"), ""
	for ok {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch command, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); command {
		case "RCPT":
			to = line[strings.Index(line, "<")+1 : strings.LastIndex(line, ">")]
			ok = say(s.says("RCPT", to, "250 ok"))
		case "DATA":
			say("354 go on")
			var message strings.Builder
			for line != ".\r\n" && err == nil {
				line, err = r.ReadString('\n')
				message.WriteString(line)
			}
			reply := s.says("DOT", to, "250 ok")
			if strings.HasPrefix(reply, "250") {
				s.mu.Lock()
				s.accepted = append(s.accepted, message.String())
				s.mu.Unlock()
			}
			ok = say(reply)
		case "QUIT":
			say("221 bye")
			return
		default:
			ok = say("250 ok")
		}
	}
}

func (s *mailServer) asked() (to []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.accepted {
		_, after, _ := strings.Cut(m, "\nTo: <")
		address, _, _ := strings.Cut(after, ">")
		to = append(to, address)
	}
	slices.Sort(to)
	return to
}

type house struct {
	t      *testing.T
	st     *store.Store
	n      digest.Newsletter
	server *mailServer
	now    time.Time
	*confirmations.Asker
}

func each(t *testing.T, f func(h *house)) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := &house{t: t, st: st, server: newMailServer(t), now: noon}
		u, _, err := st.Readers.AddUser(t.Context(), "anna@example.org", "UTC", noon)
		h.ok(err)
		h.n, err = st.Newsletters.AddNewsletter(t.Context(), digest.Newsletter{
			Slug: "anna-writes", Name: "Anna <writes>", ReplyTo: "anna@example.org", Cadence: digest.Daily,
			State: digest.NewsletterActive, FromName: "Typed by Anna",
			Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
		}, u.ID, noon)
		h.ok(err)
		transport, err := mailer.Open("smtp+insecure://"+h.server.Addr().String(), mailer.Options{})
		h.ok(err)
		t.Cleanup(func() { transport.Close() })
		h.Asker = &confirmations.Asker{
			Store: st, Sender: &mailer.Sender{Transport: transport, From: "Digest <digest@example.org>",
				ReturnPath: "bounces@example.org"},
			Signer: digest.NewSigner(make([]byte, 32)), BaseURL: "https://digest.example",
			PostalAddress: "1 High Street",
			Now:           func() time.Time { return h.now }, Hard: context.Background(),
			Log: slog.New(slog.DiscardHandler),
		}
		f(h)
	})
}

func (h *house) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) queue(emails ...string) {
	h.t.Helper()
	var all []store.Joining
	for _, email := range emails {
		all = append(all, store.Joining{Email: email, TimeZone: "Asia/Tokyo"})
	}
	_, err := h.st.Members.QueueAsks(h.t.Context(), h.n.ID, all, h.now)
	h.ok(err)
}

func (h *house) counts() newsletter.AskCounts {
	h.t.Helper()
	counts, _, err := h.st.Members.AskCounts(h.t.Context(), h.n.ID, h.now)
	h.ok(err)
	return counts
}

func (h *house) ask(after time.Duration, to ...string) {
	h.t.Helper()
	h.now = h.now.Add(after)
	h.ok(h.Ask(h.t.Context()))
	if got := h.server.asked(); !slices.Equal(got, to) {
		h.t.Errorf("asked so far: %q, want %q", got, to)
	}
}

// TestLetter checks that the email contains only the newsletter's name and our own text, and has its own return path.
func TestLetter(t *testing.T) {
	each(t, func(h *house) {
		h.queue("mo@example.org")
		h.ask(0, "mo@example.org")
		letter := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(h.server.accepted[0])
		for _, part := range []string{"\r\nSubject: Confirm your subscription to Anna <writes>\r\n",
			`From: "Anna <writes>" <digest@example.org>`, "Reply-To: <anna@example.org>",
			"https://digest.example/n/anna-writes/confirm?token=", "1 High Street", "Precedence: bulk",
			"Anna &lt;writes&gt;"} {
			if !strings.Contains(letter, part) {
				h.t.Errorf("no %q in\n%s", part, letter)
			}
		}
		if strings.Contains(letter, "Typed by Anna") {
			h.t.Errorf("what Anna typed is in\n%s", letter)
		}
	})
}

// TestOutcomes is a table of mail server replies and their results.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		name, stage, reply string
		want               newsletter.AskCounts // afterwards
		again              bool                 // when the server accepts it
	}{
		{"taken", "DOT", "250 ok", newsletter.AskCounts{Asked: 1}, false},
		{"nobody there", "RCPT", "550 5.1.1 no such user", newsletter.AskCounts{Bounced: 1}, false},
		{"refused", "RCPT", "554 5.7.1 no", newsletter.AskCounts{Refused: 1}, false},
		{"refused at the dot", "DOT", "554 5.7.1 spam", newsletter.AskCounts{Refused: 1}, false},
		{"put off", "RCPT", "450 4.2.1 later", newsletter.AskCounts{Waiting: 1}, true},
		{"put off at the dot", "DOT", "451 4.3.0 later", newsletter.AskCounts{Waiting: 1}, true},
		{"lost before the dot", "RCPT", "-", newsletter.AskCounts{Waiting: 1}, true},
		{"lost at the dot: nobody knows", "DOT", "-", newsletter.AskCounts{Asked: 1}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			each(t, func(h *house) {
				h.server.answer = func(stage, _ string) string {
					if stage == test.stage {
						return test.reply
					}
					return ""
				}
				h.queue("mo@example.org")
				h.ok(h.Ask(h.t.Context()))
				if got := h.counts(); got != test.want {
					h.t.Errorf("%+v, want %+v", got, test.want)
				}
				before := h.server.asked()
				h.server.mu.Lock()
				h.server.answer = func(string, string) string { return "" }
				h.server.mu.Unlock()
				if test.again {
					before = append(before, "mo@example.org")
				}
				h.ask(2*time.Hour, before...)
				h.ask(24*time.Hour, before...)
			})
		})
	}
}

// TestPutOffForEver checks that retries end.
func TestPutOffForEver(t *testing.T) {
	each(t, func(h *house) {
		h.server.answer = func(stage, _ string) string { return map[string]string{"RCPT": "450 4.2.1 later"}[stage] }
		h.queue("mo@example.org")
		for range newsletter.MostAskTries {
			h.ask(24 * time.Hour)
		}
		if got := h.counts(); got != (newsletter.AskCounts{Refused: 1}) {
			h.t.Errorf("%+v", got)
		}
	})
}

// TestServerAway checks that attempts do not count while no email can be sent, and that each person then gets one
// email.
func TestServerAway(t *testing.T) {
	each(t, func(h *house) {
		transport, err := mailer.Open("smtp+insecure://127.0.0.1:1", mailer.Options{})
		h.ok(err)
		defer transport.Close()
		here := h.Sender.Transport
		h.Sender.Transport = transport
		h.queue("a@example.org", "b@example.org")
		for range newsletter.MostAskTries + 1 {
			h.ask(time.Hour)
		}
		h.Sender.Transport = here
		h.ask(time.Hour, "a@example.org", "b@example.org")
		h.ask(time.Hour, "a@example.org", "b@example.org")
	})
}
