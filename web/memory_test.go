package web_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"digest"
	"digest/render"
)

// memory is a store of plain data.
type memory struct {
	mu       sync.Mutex
	down     bool
	users    map[digest.UserID]digest.User
	digests  map[digest.DigestID]digest.Digest
	editions []digest.Edition // newest first
	signIns  map[string]grant
	sessions map[string]grant
	pages    map[digest.EditionID]render.Page
	waiting  map[digest.DigestID][]digest.Post
	changes  int
}

func newMemory() *memory {
	return &memory{
		users: map[digest.UserID]digest.User{}, digests: map[digest.DigestID]digest.Digest{},
		signIns: map[string]grant{}, sessions: map[string]grant{},
		pages: map[digest.EditionID]render.Page{}, waiting: map[digest.DigestID][]digest.Post{},
	}
}

// user adds a reader in Paris with one digest.
func (r *room) user(email string) (digest.User, digest.Digest) {
	n := len(r.store.users) + 1
	u := digest.User{ID: digest.UserID(n), Email: email, TimeZone: "Europe/Paris"}
	d := digest.Digest{ID: digest.DigestID(n), UserID: u.ID, Name: "Daily Digest", TimeZone: "Europe/Paris", State: digest.DigestActive, NextDueAt: midnightAfter(r.now)}
	r.store.users[u.ID], r.store.digests[d.ID] = u, d
	return u, d
}

// arrives lets a post come in for a digest; it stays hidden until midnight.
func (r *room) arrives(d digest.Digest, p digest.Post) {
	r.store.waiting[d.ID] = append(r.store.waiting[d.ID], p)
}

// midnight moves the clock to the next midnight in Paris, where editions are made.
func (r *room) midnight() {
	r.now = midnightAfter(r.now)
	for id, d := range r.store.digests {
		if len(r.store.waiting[id]) == 0 {
			continue
		}
		d.Editions++
		e := digest.Edition{ID: digest.EditionID(len(r.store.editions) + 1), DigestID: id, LocalDate: digest.DateOf(r.now.Add(2 * time.Hour)), DueAt: r.now, Number: d.Editions}
		var blocks []*render.Block
		for _, p := range r.store.waiting[id] {
			blocks = append(blocks, render.NewBlock(p))
		}
		r.store.pages[e.ID] = render.Page{Date: e.LocalDate, Number: e.Number, Name: d.Name, Sites: []render.Site{{Title: site, URL: "https://site.example/", Blocks: blocks}}}
		r.store.editions = slices.Insert(r.store.editions, 0, e)
		r.store.digests[id], r.store.waiting[id] = d, nil
	}
}

// midnightIn moves the clock to just before the next midnight.
func (r *room) midnightIn(d time.Duration) { r.now = midnightAfter(r.now).Add(-d) }

func (r *room) breakDatabase() { r.store.down = true }

// edition gives a digest's latest edition.
func (r *room) edition(d digest.Digest) digest.Edition {
	r.t.Helper()
	list, _ := r.store.Editions(r.t.Context(), d.ID, 1)
	if len(list) == 0 {
		r.t.Fatal("no edition")
	}
	return list[0]
}

func (r *room) remove(u digest.User) {
	for id, d := range r.store.digests {
		if d.UserID == u.ID {
			delete(r.store.digests, id)
		}
	}
}

func midnightAfter(t time.Time) time.Time {
	m := time.Date(t.Year(), t.Month(), t.Day(), 23, 0, 0, 0, time.UTC)
	if !m.After(t) {
		m = m.AddDate(0, 0, 1)
	}
	return m
}

type grant struct {
	user    digest.UserID
	expires time.Time
}

func notFound() error {
	return &digest.Error{Kind: digest.NotFound, Message: "no such row; operator only"}
}

func (m *memory) DigestOf(_ context.Context, u digest.UserID) (digest.Digest, error) {
	for _, d := range m.digests {
		if d.UserID == u {
			return d, nil
		}
	}
	return digest.Digest{}, notFound()
}

func (m *memory) Digest(_ context.Context, id digest.DigestID) (digest.Digest, error) {
	if m.down {
		return digest.Digest{}, errors.New("dial tcp 10.0.0.7: password secret refused")
	}
	d, ok := m.digests[id]
	if !ok {
		return d, notFound()
	}
	return d, nil
}

func (m *memory) SetDigestState(_ context.Context, id digest.DigestID, s digest.DigestState, _ time.Time) error {
	d := m.digests[id]
	d.State = s
	m.digests[id] = d
	m.changes++
	return nil
}

func (m *memory) Editions(_ context.Context, id digest.DigestID, _ int) ([]digest.Edition, error) {
	return slices.DeleteFunc(slices.Clone(m.editions), func(e digest.Edition) bool { return e.DigestID != id }), nil
}

func (m *memory) Edition(_ context.Context, id digest.EditionID) (digest.Edition, error) {
	for _, e := range m.editions {
		if e.ID == id {
			return e, nil
		}
	}
	return digest.Edition{}, notFound()
}

func (m *memory) AddSignIn(_ context.Context, h []byte, u digest.UserID, _, until time.Time) error {
	m.signIns[string(h)] = grant{u, until}
	return nil
}

func (m *memory) TakeSignIn(_ context.Context, h []byte, now time.Time) (digest.UserID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.signIns[string(h)]
	delete(m.signIns, string(h))
	if !ok || now.After(g.expires) {
		return 0, notFound()
	}
	return g.user, nil
}

func (m *memory) AddSession(_ context.Context, h []byte, u digest.UserID, _, until time.Time) error {
	m.sessions[string(h)] = grant{u, until}
	return nil
}

func (m *memory) SessionUser(_ context.Context, h []byte, now time.Time) (digest.User, error) {
	g, ok := m.sessions[string(h)]
	if !ok || now.After(g.expires) {
		return digest.User{}, notFound()
	}
	return m.users[g.user], nil
}

func (m *memory) EndSession(_ context.Context, h []byte) error {
	delete(m.sessions, string(h))
	return nil
}

func (m *memory) Ping(context.Context) error {
	if m.down {
		return errors.New("down")
	}
	return nil
}

func (m *memory) Page(_ context.Context, d digest.Delivery) (render.Page, error) {
	return m.pages[d.ID], nil
}
