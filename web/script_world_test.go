package web_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/web"
	"digest/web/page"
)

// setUpCommands returns the commands that change and check the instance itself.
func setUpCommands() map[string]func(s *pageScript, args ...string) {
	return map[string]func(s *pageScript, args ...string){
		"reader": (*pageScript).addReader, "operator": (*pageScript).addOperator,
		"newsletter": (*pageScript).addNewsletter, "feed": (*pageScript).addFeed,
		"clock": (*pageScript).setClock, "instance": (*pageScript).setInstance,
		"link": (*pageScript).setLink, "stored": (*pageScript).hasStored, "follows": (*pageScript).hasFeeds,
		"member": (*pageScript).addMember, "hold": (*pageScript).holds, "lane": (*pageScript).setLane,
		"host-rule": (*pageScript).setHostRule, "log": (*pageScript).hasLogged, "upload": (*pageScript).uploads,
		"suppress": (*pageScript).suppresses, "asked": (*pageScript).siteGot,
		"poll":         (*pageScript).polls,
		"role":         (*pageScript).setRole,
		"member-limit": (*pageScript).limitMembers,
		"name-digest": func(s *pageScript, args ...string) {
			s.must(s.store.Readers.SetDigestName(s.t.Context(), s.digestOfName(args[0]).ID, args[1]))
		},
		"troubles":       func(s *pageScript, args ...string) { s.troubles(args[0]) },
		"midnight":       func(s *pageScript, _ ...string) { s.midnight() },
		"release":        func(s *pageScript, _ ...string) { s.midnightNow() },
		"index":          func(s *pageScript, _ ...string) { s.indexed() },
		"remove":         func(s *pageScript, args ...string) { s.remove(s.userOf(args[0])) },
		"break-database": func(s *pageScript, _ ...string) { s.breakDatabase() },
		"follow": func(s *pageScript, args ...string) {
			s.subscribes(s.digestOfName(args[0]), args[1], args[2])
		},
		"break-feed": func(s *pageScript, args ...string) { s.fails(args[0]) },
		"move":       func(s *pageScript, args ...string) { s.movesOn(digest.Digest{}, args[0], args[1]) },
		"void-links": func(s *pageScript, args ...string) {
			s.must(s.store.Readers.VoidLinks(s.t.Context(), s.digestOfName(args[0]).ID))
		},
	}
}

func (s *pageScript) userOf(name string) digest.User {
	u, err := s.store.Readers.UserByEmail(s.t.Context(), name+"@example.org")
	s.must(err)
	return u
}

// digestOfName returns the digest of a reader, or of a newsletter's issues by its short name. The digest of a member's
// issues is SLUG/NAME.
func (s *pageScript) digestOfName(name string) digest.Digest {
	if slug, member, ok := strings.Cut(name, "/"); ok {
		m, err := s.memberOf(slug, member)
		s.must(err)
		return s.digest(digest.Digest{ID: m.DigestID})
	}
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), name)
	if err == nil {
		return s.digest(digest.Digest{ID: n.ArchiveID})
	}
	d, err := s.store.Readers.DigestOf(s.t.Context(), s.userOf(name).ID)
	s.must(err)
	return d
}

func (s *pageScript) addReader(args ...string) {
	u, _ := s.user(args[0] + "@example.org")
	s.as(args[0])
	s.signIn(u)
}

func (s *pageScript) addOperator(args ...string) {
	s.addReader(args...)
	s.must(s.store.Operator.SetOperator(s.t.Context(), s.userOf(args[0]).ID, true))
}

// addNewsletter adds a newsletter of a reader.
func (s *pageScript) addNewsletter(args ...string) {
	n := digest.Newsletter{Slug: args[1], Name: "Letters of " + args[1], Cadence: digest.Daily,
		State: digest.NewsletterActive, Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}}
	s.setFields(args[2:], &n)
	_, err := s.store.Newsletters.AddNewsletter(s.t.Context(), n, s.userOf(args[0]).ID, s.now)
	s.must(err)
}

// setFields sets fields of the first struct that has them, each given as NAME=VALUE. It returns the other arguments.
func (s *pageScript) setFields(args []string, structs ...any) (others []string) {
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		i := slices.IndexFunc(structs, func(of any) bool {
			return ok && reflect.ValueOf(of).Elem().FieldByName(name).IsValid()
		})
		if i < 0 {
			others = append(others, arg)
			continue
		}
		s.setField(reflect.ValueOf(structs[i]).Elem().FieldByName(name), value)
	}
	return others
}

// setField sets a field. A time is a duration from now or an instant.
func (s *pageScript) setField(field reflect.Value, value string) {
	switch of := field.Addr().Interface().(type) {
	case *time.Time:
		*of = s.instant(value)
	case *time.Duration:
		d, err := time.ParseDuration(value)
		s.must(err)
		*of = d
	case *bool:
		*of = value == "true"
	default:
		if field.Kind() == reflect.String {
			field.SetString(value)
			return
		}
		n, err := strconv.ParseInt(value, 10, 64)
		s.must(err)
		field.Set(reflect.ValueOf(n).Convert(field.Type()))
	}
}

func (s *pageScript) instant(text string) time.Time {
	if by, err := time.ParseDuration(text); err == nil {
		return s.now.Add(by)
	}
	at, err := time.Parse(time.RFC3339, text)
	s.must(err)
	return at
}

// addFeed adds a feed with posts to a digest. NAME=VALUE sets a field of the subscription, or else of all posts.
func (s *pageScript) addFeed(args ...string) {
	sub, like := digest.Subscription{DigestID: s.digestOfName(args[0]).ID}, post("")
	titles := s.setFields(args[2:], &sub, &like)
	posts := make([]digest.Post, len(titles))
	for i, title := range titles {
		posts[i] = like
		posts[i].Identity, posts[i].Title = title, title
		posts[i].URL = "https://site.example/" + url.PathEscape(title)
		posts[i].Links = feed.Links(posts[i], posts[i].URL, posts[i].URL)
	}
	s.brings(sub, args[1], posts...)
}

// polls stores a poll of the feed at an address. NAME=VALUE sets a field of the feed's record, or else of the poll's.
func (s *pageScript) polls(args ...string) {
	p := store.Polled{Feed: feedAt(s.room, args[0]), Poll: store.PollRecord{At: s.now}}
	if others := s.setFields(args[1:], &p.Feed, &p.Poll, &p); len(others) > 0 {
		s.ts.Fatalf("no field %q", others)
	}
	_, err := s.store.Feeds.Record(s.t.Context(), s.now, []store.Polled{p})
	s.must(err)
}

// setClock moves the clock by a duration such as +1h, or to an instant.
func (s *pageScript) setClock(args ...string) { s.now = s.instant(args[0]) }

// setInstance changes a setting of the instance.
func (s *pageScript) setInstance(args ...string) {
	for name, values := range s.form(args) {
		switch name {
		case "sign-up":
			s.signUp = page.SignUp(values[0])
		case "publishing":
			s.publish = page.Publishing(values[0])
		case "address":
			s.addresses = values
		default:
			s.ts.Fatalf("no setting %q", name)
		}
	}
	s.open("")
}

// setLink sets LINK to the path of a link that an email has.
func (s *pageScript) setLink(args ...string) {
	kind, name, rest := args[0], args[1], append(args[2:], "")
	if kind == "owner" {
		link, err := web.OperatorLink(s.t.Context(), s.store, s.base, s.now)
		s.must(err)
		s.ts.Setenv("LINK", strings.TrimPrefix(link, s.base))
		return
	}
	d := s.digestOfName(name)
	var path string
	switch kind {
	case "sign-in":
		path = "/sign-in?token=" + s.token(s.userOf(name))
	case "unsubscribe":
		path = s.unsubscribePath(d)
	case "edition":
		path = "/e/" + s.signer.Sign(digest.ForEdition, int64(s.edition(d).ID))
	case "save":
		path, _ = s.letterPaths(d, rest[0])
	case "site":
		_, path = s.letterPaths(d, rest[0])
	case "moved":
		path = "/moved/" + s.signer.SignPair(digest.ForGoingBack, digest.InRound(int64(d.ID), d.LinkRound),
			int64(feedAt(s.room, rest[0]).ID))
	case "remedies":
		path = s.remediesPath(d, feedAt(s.room, rest[0]).ID)
	case "trial":
		path = s.trialPath(d, feedAt(s.room, rest[0]).ID)
	case "post":
		path = fmt.Sprint("/posts/", s.idOf(d, rest[0]))
	case "feed":
		path = fmt.Sprint("/feeds/", feedAt(s.room, rest[0]).ID)
	case "reader":
		path = fmt.Sprint("/operator/readers/", s.userOf(name).ID)
	case "operated-feed":
		path = fmt.Sprint("/operator/feeds/", feedAt(s.room, rest[0]).ID)
	case "member":
		m, err := s.memberOf(name, rest[0])
		s.must(err)
		path = fmt.Sprint("/newsletters/", name, "/members/", m.DigestID)
	default:
		s.ts.Fatalf("no link %q", kind)
	}
	s.ts.Setenv("LINK", path)
}

// hasFields checks fields of a struct, each given as NAME=VALUE.
func (s *pageScript) hasFields(of any, fields []string) {
	for _, arg := range fields {
		name, want, _ := strings.Cut(arg, "=")
		field := reflect.ValueOf(of).FieldByName(name)
		if !field.IsValid() {
			s.ts.Fatalf("%T has no %s", of, name)
		}
		got := fmt.Sprint(field)
		if at, ok := field.Interface().(time.Time); ok {
			got = ""
			if !at.IsZero() {
				got = at.UTC().Format(time.RFC3339)
			}
		}
		if got != want {
			s.ts.Fatalf("%s is %q, want %q", name, got, want)
		}
	}
}

// hasStored checks fields in the database. The first arguments identify the record.
func (s *pageScript) hasStored(args ...string) {
	ctx, name, fields := s.t.Context(), args[1], args[2:]
	var of any
	var err error
	switch args[0] {
	case "digest":
		of = s.digestOfName(name)
	case "edition":
		of = s.edition(s.digestOfName(name))
	case "user":
		of = s.userOf(name)
	case "newsletter":
		of, err = s.store.Newsletters.NewsletterBySlug(ctx, name)
	case "feed":
		of = feedAt(s.room, name)
	case "lane":
		of, err = s.store.Editions.Lane(ctx, name)
	case "subscription":
		of, err = s.store.Subscriptions.Subscription(ctx, s.digestOfName(name).ID, feedAt(s.room, fields[0]).ID)
		fields = fields[1:]
	case "member":
		of, err = s.memberOf(name, fields[0])
		fields = fields[1:]
	default:
		s.ts.Fatalf("no kind %q", args[0])
	}
	s.must(err)
	s.hasFields(of, fields)
}

func (s *pageScript) memberOf(slug, name string) (digest.Member, error) {
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), slug)
	s.must(err)
	return s.store.Members.Member(s.t.Context(), n.ID, name+"@example.org")
}

// addMember adds a member to a newsletter, with a proof of consent.
func (s *pageScript) addMember(args ...string) {
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), args[0])
	s.must(err)
	s.joined(n, args[1]+"@example.org")
}

func (s *pageScript) limitMembers(args ...string) {
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), args[0])
	s.must(err)
	most, err := strconv.Atoi(args[1])
	s.must(err)
	s.must(s.store.Newsletters.SetMemberLimit(s.t.Context(), n.ID, most))
}

// setRole makes a reader an editor or an owner of a newsletter.
func (s *pageScript) setRole(args ...string) {
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), args[0])
	s.must(err)
	s.must(s.store.Newsletters.SetRole(s.t.Context(), n.ID, s.userOf(args[1]).ID, digest.Role(args[2]), s.now))
}

// holds puts a newsletter on hold as the operator, for a reason.
func (s *pageScript) holds(args ...string) {
	n, err := s.store.Newsletters.NewsletterBySlug(s.t.Context(), args[0])
	s.must(err)
	s.must(s.store.Newsletters.SetNewsletterState(s.t.Context(), n.ID, digest.NewsletterHeld, args[1], s.now))
}

func (s *pageScript) setLane(args ...string) {
	_, err := s.store.Editions.ChangeLane(s.t.Context(), s.now, args[0], func(l digest.Lane) digest.Lane {
		s.setFields(args[1:], &l)
		return l
	})
	s.must(err)
}

func (s *pageScript) setHostRule(args ...string) {
	rule := digest.HostRule{Host: args[0]}
	s.setFields(args[1:], &rule)
	_, err := s.store.Operator.SetHostRule(s.t.Context(), rule, s.now)
	s.must(err)
}

// hasLogged checks that the log contains texts.
func (s *pageScript) hasLogged(args ...string) {
	for _, text := range args {
		if strings.Contains(s.room.log.String(), text) == s.neg {
			s.ts.Fatalf("%q in it: %t\n%s", text, s.neg, s.room.log)
		}
	}
}

// uploads posts a form with a file of the script.
func (s *pageScript) uploads(args ...string) {
	want, others := status(args[2:], 0)
	fields := map[string]string{}
	for name, values := range s.form(others) {
		fields[name] = values[0]
	}
	s.followed(s.visitor.send(args[0], args[1], s.ts.ReadFile(args[1]), fields), want)
}

// hasFeeds checks the addresses of a digest's feeds.
func (s *pageScript) hasFeeds(args ...string) {
	if got := s.subscribedTo(s.digestOfName(args[0])); got != strings.Join(args[1:], " ") {
		s.ts.Fatalf("follows %s", got)
	}
}

func (s *pageScript) suppresses(args ...string) {
	s.must(s.store.Editions.Suppress(s.t.Context(), digest.Suppression{Email: args[0], Reason: digest.ForHardBounce,
		CreatedAt: s.now}))
}

// siteGot checks the requests to the site of the script since the last check, after robots.txt.
func (s *pageScript) siteGot(args ...string) {
	got := strings.TrimPrefix(s.blog.log(), "/robots.txt ")
	if got != strings.Join(args, " ") {
		s.ts.Fatalf("asked for %s", got)
	}
}
