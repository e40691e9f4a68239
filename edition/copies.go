package edition

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"unique"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/render"
)

// An edition shows a post once, even if several of the reader's feeds have it: a second feed of the site, an
// aggregator, or the author's account on a network. The post has links to its copies, and the copies stay posts of
// the edition.
//
// The edition leaves a post out in favour of another only if the post's own feed says that they are the same, and
// if the post adds nothing. The feed says so if the post has the other's address, links to it, or names it as its
// copy, or if its author claims the other's site. The other post must be at home at its address, and if both posts
// have this address, nearer to it. If that is unknown, both must be the same in all that a reader sees. So no feed
// can hide or retitle a post of another feed.

// keys finds posts of other feeds that may be the same. 0 is no key.
type keys struct {
	own   uint64   // of its address
	names []uint64 // of the addresses that a short post links to, and of its copies
	text  uint64   // of the words of a short one
}

const (
	shortText = 4000 // bytes of the content of a post that may be an announcement
	mostNames = 12
	fewWords  = 4 // a shorter text may be anybody's
)

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
		if said := textsearch.Document(textsearch.Text(p.Content)); len(said) >= fewWords {
			k.text = s.key(strings.Join(said, " "))
		}
	}
	return k
}

// place returns an address without the parts that do not change where it leads: the scheme, www, a final slash, and
// the fragment.
func place(address string) string {
	_, bare, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	bare, _, _ = strings.Cut(bare, "#")
	host, path, _ := strings.Cut(bare, "/")
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "www.")+"/"+path, "/")
}

// namedBy returns the addresses under which a post may be the same as another: its copies, and the links of a short
// post.
func namedBy(p digest.Post) []string {
	all := strings.Fields(p.Syndication)
	if len(p.Content) <= shortText {
		all = append(all, hrefs(p.Content)...)
	}
	return all[:min(len(all), mostNames)]
}

func hrefs(content string) []string { return attributes(content, "href") }

// attributes returns the addresses in the attributes of a name, as in href="…", in sanitised content.
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

// maybeSame returns pairs of posts in an edition that may be the same, each from two feeds.
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

// mostPairs bounds the pairs that are compared for one edition.
const mostPairs = 500

// judged caches verdicts on posts of sealed editions, which never change; a preview has a cache of its own. It also
// caches posts with links to their copies, because one reader's edition makes them and the next needs them.
type judged struct {
	mu       sync.Mutex
	verdicts map[[2]digest.PostID]verdict
	posts    map[copiesKey]*post
}

type copiesKey struct {
	unique.Handle[render.Variant]
	name string
}

// mostJudged bounds the cached verdicts. Beyond it the cache starts again.
const mostJudged = 20_000

// once leaves copies out of an edition's posts and, if stories is set, posts that tell the story of another one. It
// returns the other posts, the originals with links to those, and the original of each post that it left out.
func (b *Builder) once(ctx context.Context, s shared, refs []digest.PostRef, stories bool) ([]digest.PostRef,
	map[digest.PostID]*post, map[digest.PostID]digest.PostID, error) {
	posts, feeds, of := make([]*post, 0, len(refs)), make([]digest.FeedID, 0, len(refs)),
		make([]digest.PostID, 0, len(refs))
	for _, r := range refs {
		if p := s.posts[r.PostID]; p != nil {
			posts, feeds, of = append(posts, p), append(feeds, r.FeedID), append(of, r.PostID)
		}
	}
	left, err := b.judgeAll(ctx, s.judged, maybeSame(posts, feeds), of, feeds)
	if err != nil {
		return refs, nil, nil, err
	}
	if stories {
		var tellers []teller
		for i, p := range posts {
			if _, is := left[of[i]]; !is {
				tellers = append(tellers, teller{p, feeds[i]})
			}
		}
		maps.Copy(left, retold(tellers))
		for from := range left {
			left[from] = root(left, from)
		}
	}
	if len(left) == 0 {
		return refs, nil, nil, nil
	}
	originals, err := b.withCopies(ctx, s, left)
	if err != nil {
		return nil, nil, nil, err
	}
	refs = slices.DeleteFunc(slices.Clone(refs), func(r digest.PostRef) bool { _, is := left[r.PostID]; return is })
	return refs, originals, left, nil
}

// judgeAll maps each post that is left out to the post that is shown in its place.
func (b *Builder) judgeAll(ctx context.Context, j *judged, pairs [][2]int, posts []digest.PostID,
	feeds []digest.FeedID) (map[digest.PostID]digest.PostID, error) {
	verdicts, unknown := j.known(pairs, posts)
	if len(unknown) > 0 {
		sources, err := b.sources(ctx, unknown, posts, feeds)
		if err != nil {
			return nil, err
		}
		for _, pair := range unknown {
			first, second := sources[posts[pair[0]]], sources[posts[pair[1]]]
			if first == nil || second == nil {
				continue // one was deleted
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

// root returns the post that is finally shown in place of another.
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

func (b *Builder) sources(ctx context.Context, pairs [][2]int, posts []digest.PostID,
	feeds []digest.FeedID) (map[digest.PostID]*source, error) {
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

// withCopies returns the originals, with links to the copies that are left out.
func (b *Builder) withCopies(ctx context.Context, s shared, left map[digest.PostID]digest.PostID) (
	map[digest.PostID]*post, error) {
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
		link := render.File{Label: s.render.Say(catalogue.Key("Also on %s").With(digest.HostShown(p.URL))), URL: p.URL}
		if h := s.headings[p.FeedID].section; place(p.URL) == place(original.URL) {
			link = render.File{Label: s.render.Say(catalogue.Key("Also on %s").With(h.Title)), URL: h.URL}
		}
		links = append(links, link)
	}
	if original.Language == "" {
		original.Language = s.headings[original.FeedID].language
	}
	was := s.posts[id]
	return &post{s.render.WithLinks(original, !was.IsWhole(), links), was.published, was.seen, was.before,
		was.keys, was.story}, nil
}
