package edition

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unique"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/words"
	"digest/render"
)

// The same post in several feeds of a reader comes once in an edition, with a link to
// where else it is: a site's post in a second feed of the site, in an aggregator, in its author's
// account on a network. Nothing is taken away for it: all of them stay posts of the edition.
//
// A post is left out for another only where its own feed says that it is the other one (it has the other's
// address, it links to it, it names it as its copy, or its author says that the other's site is theirs), and it
// adds nothing to it. The other one is at home at its address, and nearer than the post; where that is not
// known, both have to be the same in all that is shown. So no feed can hide or retitle what another one publishes.

// keys are by what a post is found to be perhaps the same as one of another feed. 0 is none.
type keys struct {
	own   uint64   // of its address
	names []uint64 // of the addresses that a short post links to, and of its copies
	text  uint64   // of the words of a short one
}

const (
	shortText = 4000 // bytes of the content of a post that may be an announcement
	mostNames = 12
	fewWords  = 4 // a text of fewer says nothing of whose it is
)

// keySeed is of this process: keys are not stored.
type keySeed struct{ maphash.Seed }

func newKeySeed() keySeed { return keySeed{maphash.MakeSeed()} }

func (s keySeed) key(text string) uint64 {
	if text == "" {
		return 0
	}
	return max(1, maphash.String(s.Seed, text))
}

func (s keySeed) of(p digest.Post) keys {
	k := keys{own: s.key(place(p.URL))}
	for _, address := range namedBy(p) {
		k.names = append(k.names, s.key(place(address)))
	}
	if len(p.Content) <= shortText {
		if said := words.Document(words.Text(p.Content)); len(said) >= fewWords {
			k.text = s.key(strings.Join(said, " "))
		}
	}
	return k
}

// place is an address without what does not matter for where it leads: https or not, www, a
// final slash, a place in the page.
func place(address string) string {
	_, bare, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	bare, _, _ = strings.Cut(bare, "#")
	host, path, _ := strings.Cut(bare, "/")
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "www.")+"/"+path, "/")
}

// namedBy gives the addresses of a post's copies, and those to which it links if it is short: where it may be the
// same as another post.
func namedBy(p digest.Post) []string {
	all := strings.Fields(p.Syndication)
	if len(p.Content) <= shortText {
		all = append(all, hrefs(p.Content)...)
	}
	return all[:min(len(all), mostNames)]
}

// hrefs gives where sanitised content leads.
func hrefs(content string) []string { return attributes(content, "href") }

// attributes gives the addresses in sanitised content that stand in attributes of a name, as href="…".
func attributes(content, name string) (all []string) {
	for {
		_, after, found := strings.Cut(content, " "+name+`="`)
		if !found {
			return all
		}
		address, tail, _ := strings.Cut(after, `"`)
		all, content = append(all, strings.ReplaceAll(address, "&amp;", "&")), tail
	}
}

// maybeSame gives pairs of an edition's posts that may be the same, of different feeds.
func maybeSame(posts []*post, feeds []digest.FeedID) (pairs [][2]int) {
	byKey := make(map[uint64][]int, 2*len(posts))
	for i, p := range posts {
		for _, k := range []uint64{p.keys.own, p.keys.text} {
			if k != 0 {
				byKey[k] = append(byKey[k], i)
			}
		}
	}
	add := func(i, j int) {
		pair := [2]int{min(i, j), max(i, j)}
		if feeds[i] != feeds[j] && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	addAll := func(i int, key uint64) {
		for _, j := range byKey[key] {
			if len(pairs) == mostPairs {
				return
			}
			add(i, j)
		}
	}
	for i, p := range posts {
		addAll(i, p.keys.own)
		addAll(i, p.keys.text)
		for _, name := range p.keys.names {
			addAll(i, name)
		}
	}
	return pairs
}

// mostPairs bounds what is compared for one edition.
const mostPairs = 500

// judged are verdicts on posts of sealed editions, which never change again (a preview has its own), and posts with the places of their copies, as they have been made for
// one reader and are wanted by the next.
type judged struct {
	mu       sync.Mutex
	verdicts map[[2]digest.PostID]verdict
	posts    map[copiesKey]*post
}

// A copiesKey is what a post with the places of its copies is kept by.
type copiesKey struct {
	unique.Handle[render.Variant]
	name string
}

// mostJudged bounds both; then they are forgotten.
const mostJudged = 20_000

// once leaves the copies out of an edition's posts, and gives their originals with links to them.
func (b *Builder) once(ctx context.Context, s shared, refs []digest.PostRef) ([]digest.PostRef, map[digest.PostID]*post, error) {
	posts, feeds, of := make([]*post, 0, len(refs)), make([]digest.FeedID, 0, len(refs)), make([]digest.PostID, 0, len(refs))
	for _, r := range refs {
		if p := s.posts[r.PostID]; p != nil {
			posts, feeds, of = append(posts, p), append(feeds, r.FeedID), append(of, r.PostID)
		}
	}
	pairs := maybeSame(posts, feeds)
	if len(pairs) == 0 {
		return refs, nil, nil
	}
	left, err := b.judgeAll(ctx, s.judged, pairs, of, feeds)
	if err != nil || len(left) == 0 {
		return refs, nil, err
	}
	originals, err := b.withCopies(ctx, s, left)
	if err != nil {
		return nil, nil, err
	}
	refs = slices.DeleteFunc(slices.Clone(refs), func(r digest.PostRef) bool { _, is := left[r.PostID]; return is })
	return refs, originals, nil
}

// judgeAll gives the posts that are left out with those for which they are.
func (b *Builder) judgeAll(ctx context.Context, j *judged, pairs [][2]int, posts []digest.PostID, feeds []digest.FeedID) (map[digest.PostID]digest.PostID, error) {
	verdicts, unknown := j.known(pairs, posts)
	if len(unknown) > 0 {
		sources, err := b.sources(ctx, unknown, posts, feeds)
		if err != nil {
			return nil, err
		}
		for _, pair := range unknown {
			first, second := sources[posts[pair[0]]], sources[posts[pair[1]]]
			if first == nil || second == nil {
				continue // one is no more
			}
			verdicts[pair] = judge(first, second)
		}
		j.note(verdicts, posts)
	}
	left := make(map[digest.PostID]digest.PostID)
	for _, pair := range pairs {
		from, to := posts[pair[0]], posts[pair[1]]
		if verdicts[pair] == secondLeft {
			from, to = to, from
		}
		if _, is := left[from]; !is && verdicts[pair] != bothStay && root(left, to) != from {
			left[from] = to
		}
	}
	for from := range left {
		left[from] = root(left, from)
	}
	return left, nil
}

// root is the post for which one is left out in the end.
func root(left map[digest.PostID]digest.PostID, id digest.PostID) digest.PostID {
	for {
		to, is := left[id]
		if !is {
			return id
		}
		id = to
	}
}

func (j *judged) known(pairs [][2]int, posts []digest.PostID) (verdicts map[[2]int]verdict, unknown [][2]int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	verdicts = make(map[[2]int]verdict, len(pairs))
	for _, pair := range pairs {
		if v, ok := j.verdicts[[2]digest.PostID{posts[pair[0]], posts[pair[1]]}]; ok {
			verdicts[pair] = v
		} else {
			unknown = append(unknown, pair)
		}
	}
	return verdicts, unknown
}

func (j *judged) note(verdicts map[[2]int]verdict, posts []digest.PostID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.verdicts == nil || len(j.verdicts) > mostJudged {
		j.verdicts = make(map[[2]digest.PostID]verdict)
	}
	for pair, v := range verdicts {
		j.verdicts[[2]digest.PostID{posts[pair[0]], posts[pair[1]]}] = v
	}
}

// sources reads the posts of pairs with their feeds.
func (b *Builder) sources(ctx context.Context, pairs [][2]int, posts []digest.PostID, feeds []digest.FeedID) (map[digest.PostID]*source, error) {
	var ids []digest.PostID
	var of []digest.FeedID
	for _, pair := range pairs {
		for _, i := range pair {
			ids, of = append(ids, posts[i]), append(of, feeds[i])
		}
	}
	found, err := b.Store.Posts(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return nil, fmt.Errorf("reading posts that may be the same: %w", err)
	}
	labels, err := b.Store.FeedLabels(ctx, slices.Compact(slices.Sorted(slices.Values(of))))
	if err != nil {
		return nil, fmt.Errorf("reading the feeds of posts that may be the same: %w", err)
	}
	byFeed := make(map[digest.FeedID]digest.FeedLabel, len(labels))
	for _, l := range labels {
		byFeed[l.FeedID] = l
	}
	sources := make(map[digest.PostID]*source, len(found))
	for _, p := range found {
		sources[p.ID] = newSource(p, byFeed[p.FeedID])
	}
	return sources, nil
}

// withCopies gives the posts for which others are left out, with links to those.
func (b *Builder) withCopies(ctx context.Context, s shared, left map[digest.PostID]digest.PostID) (map[digest.PostID]*post, error) {
	copies := make(map[digest.PostID][]digest.PostID)
	for from, to := range left {
		copies[to] = append(copies[to], from)
	}
	originals := make(map[digest.PostID]*post, len(copies))
	for id, those := range copies {
		slices.Sort(those)
		name := copiesKey{s.render.Variant(), fmt.Sprint(id, those, s.posts[id].IsWhole())}
		known := s.judged.post(name)
		if known == nil {
			var err error
			if known, err = b.withLinks(ctx, s, id, those); err != nil {
				return nil, err
			}
			s.judged.notePost(name, known)
		}
		originals[id] = known
	}
	return originals, nil
}

func (j *judged) post(name copiesKey) *post {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.posts[name]
}

func (j *judged) notePost(name copiesKey, p *post) {
	const most = 500 // rendered posts are large
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.posts == nil || len(j.posts) >= most {
		j.posts = make(map[copiesKey]*post)
	}
	j.posts[name] = p
}

// withLinks renders a post with links to its copies.
func (b *Builder) withLinks(ctx context.Context, s shared, id digest.PostID, copies []digest.PostID) (*post, error) {
	found, err := b.Store.Posts(ctx, append([]digest.PostID{id}, copies...))
	if err != nil {
		return nil, fmt.Errorf("reading a post and its copies: %w", err)
	}
	var original digest.Post
	for _, p := range found {
		if p.ID == id {
			original = p
		}
	}
	if original.ID == 0 {
		return s.posts[id], nil
	}
	var links []render.File
	for _, p := range found {
		if p.ID == id {
			continue
		}
		link := render.File{Label: s.render.Say(catalogue.Key("Also at %s").With(digest.HostShown(p.URL))), URL: p.URL}
		if h := s.headings[p.FeedID].section; place(p.URL) == place(original.URL) {
			link = render.File{Label: s.render.Say(catalogue.Key("Also in %s").With(h.Title)), URL: h.URL}
		}
		links = append(links, link)
	}
	if original.Language == "" {
		original.Language = s.headings[original.FeedID].language
	}
	was := s.posts[id]
	return &post{s.render.WithLinks(original, !was.IsWhole(), links), was.published, was.seen, was.before, was.keys}, nil
}
