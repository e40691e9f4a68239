package feed

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// The posts of a fediverse account are an outbox: an OrderedCollection, or one page of it, of activities
// (w3.org/TR/activitypub sections 5 and 6, w3.org/TR/activitystreams-core). Where the specification allows an object,
// servers write one value, a list of one, or an address. Therefore asObject stores each field as raw JSON and decodes
// it only when a function uses it, to a bounded depth and length.

// Limits for reading an outbox.
const (
	maxActivities = 1000 // per page; servers send 10 to 50
	maxInList     = 32   // of other lists
)

type asObject struct {
	address string // its ID, or the href of a link

	ID, Type, Name, NameMap, Content, ContentMap, Summary, SummaryMap, MediaType, URL asValue
	Href, Size, Width, Published, Updated, AttributedTo, Actor, Object, To, CC        asValue
	InReplyTo, Sensitive, Attachment, Image, Icon, OneOf, AnyOf, Tag, Duration        asValue
	MimeType, Language, StartTime, EndTime, Timezone, Location, Address, Audience     asValue

	AtID   asValue `json:"@id"`
	AtType asValue `json:"@type"`

	// The fields of a place's address (schema.org/PostalAddress).
	StreetAddress, PostalCode, AddressLocality, AddressCountry, Country asValue
	Identifier                                                          asValue // of a language in Lemmy

	Quote, QuoteURI, QuoteURL asValue
	MisskeyQuote              asValue `json:"_misskey_quote"`

	Value asValue // of a field on an actor's profile

	First, Next, Items, OrderedItems, TotalItems    asValue // of a collection
	Outbox, PreferredUsername, MovedTo, AlsoKnownAs asValue // of an actor
	Suspended                                       asValue // of a Mastodon account
}

func (o *asObject) is(types ...string) bool {
	return slices.ContainsFunc(o.Type.list(maxInList), func(t asValue) bool {
		return slices.Contains(types, term(t.text()))
	})
}

// published returns the date that an activity or object states; zero: it states none.
func (o *asObject) published() time.Time { return parseDate(o.Published.text()) }

func (o *asObject) isActor() bool {
	return o.is("Person", "Group", "Organization", "Service", "Application")
}

func (o *asObject) isCollection() bool {
	return o.is("OrderedCollection", "OrderedCollectionPage", "Collection", "CollectionPage")
}

func isActivityStreams(fields map[string]string) bool {
	for _, t := range []string{"OrderedCollection", "OrderedCollectionPage", "CollectionPage"} {
		if strings.Contains(fields["type"]+fields["@type"], t+`"`) {
			return true
		}
	}
	return strings.Contains(fields["@context"], "www.w3.org/ns/activitystreams") || fields["outbox"] != "" &&
		fields["inbox"] != ""
}

// parseActivityStreams reads an outbox or one page of it. For an actor, a single object, or a collection without its
// items, it returns a description without posts, and the address of the outbox or the author.
func parseActivityStreams(src *source) (*Document, error) {
	d := &Document{Kind: ActivityStreams}
	var o asObject
	if err := o.read([]byte(src.text)); err != nil {
		return nil, refusal("JSON of ActivityStreams that is broken", err)
	}
	o.address = o.ID.text()
	own := hostAndPort(firstOf(src.address, o.address))
	if !o.isCollection() {
		d.single = true
		d.describeActor(&o, own)
		return d, nil
	}
	d.Self = o.address
	page := &o
	items := o.items()
	if first := o.First.object(); len(items) == 0 {
		if items = first.items(); len(first.OrderedItems)+len(first.Items) > 0 { // may be "[]"
			page = &first
		} else if d.Outbox = first.address; hostAndPort(d.Outbox) != own {
			d.Outbox = ""
		}
	}
	if d.Next = page.Next.object().address; hostAndPort(d.Next) != own || d.Next == src.address {
		d.Next = ""
	}
	for _, body := range src.more.Pages {
		items = append(items, itemsOf(body, own)...)
	}
	d.Withholds = len(items) == 0 && o.TotalItems.number() > 0
	r := &asReader{own: own, bases: basesOf(firstOf(src.address, page.address)), posts: map[string]bool{},
		more: src.more, parsed: map[string]asObject{}}
	d.Posts, d.Unread = r.read(items), r.unread
	d.Withholds = d.Withholds || len(d.Posts) == 0 && slices.ContainsFunc(items, isAddressOnly)
	if r.foreign > 0 {
		d.Repairs = append(d.Repairs, fmt.Sprintf("%d posts of other sites left out", r.foreign))
	}
	return d, nil
}

// itemsOf returns the items of a following page, which must be at the host own.
func itemsOf(body []byte, own string) []asValue {
	text, _ := decode(body, "")
	var page asObject
	if page.read([]byte(text)) != nil || !page.isCollection() ||
		hostAndPort(page.ID.text()) != own && page.ID.text() != "" {
		return nil
	}
	return page.items()
}

// isAddressOnly reports whether an item of an outbox only names a post by its address.
func isAddressOnly(item asValue) bool {
	if item.text() != "" {
		return true
	}
	a := item.object()
	return a.is("Create") && a.Object.text() != ""
}

func (o *asObject) items() []asValue {
	return append(o.OrderedItems.list(maxActivities), o.Items.list(maxActivities)...)
}

// describeActor copies the profile of an actor; of another object it copies the title, the page and, if it is at the
// same host, the address of the author.
func (d *Document) describeActor(o *asObject, own string) {
	d.Title = o.title()
	d.Link = o.page()
	if o.Outbox == nil {
		if by := firstOf(o.AttributedTo.object().address, o.Actor.object().address); !o.isActor() &&
			hostAndPort(by) == own {
			d.By = by
		}
		return
	}
	d.Link = firstOf(d.Link, o.address)
	d.Actor = o.address
	if name := singleSpaced(o.PreferredUsername.text()); d.Title == "" && name != "" {
		d.Title = "@" + name + "@" + own
	}
	d.Description = plainLine(o.Summary.words(o.SummaryMap), markup)
	if d.Outbox = o.Outbox.object().address; hostAndPort(d.Outbox) != own {
		d.Outbox = ""
	}
	d.Suspended = o.Suspended.isTrue()
	d.MovedTo = o.MovedTo.object().address
	d.Aliases = o.AlsoKnownAs.addresses()
	for _, field := range o.Attachment.list(maxInList) {
		if f := field.object(); f.is("PropertyValue") {
			d.Me = append(d.Me, relMe(f.Value.text())...)
		}
	}
}

// maxOwnPage limits a field of an actor's profile, in bytes.
const maxOwnPage = 4096

// relMe returns the targets of all rel="me" links in markup.
func relMe(markup string) (all []string) {
	if len(markup) > maxOwnPage {
		return nil
	}
	tokens := hypertext.Tokenizer(markup)
	for tokens.Next() != html.ErrorToken {
		t := tokens.Token()
		if t.DataAtom == atom.A && slices.Contains(strings.Fields(strings.ToLower(valueOf(t.Attr, "rel"))), "me") {
			all = append(all, valueOf(t.Attr, "href"))
		}
	}
	return all
}

func (o *asObject) title() string {
	return plainLine(o.Name.words(o.NameMap), markup)
}

// language returns the language that the text states. Without one it returns the language whose version in contentMap
// equals the text.
func (o *asObject) language() string {
	of := languagesOf(o.ContentMap)
	for _, v := range []asValue{o.Content, o.Name} {
		if tag := v.wrapped("@language").text(); tag != "" {
			return tag
		}
		if len(v) > 0 && v[0] == '{' && len(of) == 0 {
			of = languagesOf(v)
		}
	}
	content := o.Content.text()
	for l, v := range of {
		if len(of) == 1 || content != "" && v.text() == content {
			return cleanText(l)
		}
	}
	language := o.Language.object()
	return firstOf(o.Language.text(), language.Identifier.text())
}

// mediaType returns the media type of an object or of a link's target, without parameters. Funkwhale uses another
// field name.
func (o *asObject) mediaType() string {
	typ, _, _ := strings.Cut(firstOf(o.MediaType.text(), o.MimeType.text()), ";")
	return strings.TrimSpace(typ)
}

// page returns the web page of o: its first address of type text/html or without a type, otherwise its first address.
func (o *asObject) page() string {
	var first string
	for _, one := range o.URL.list(maxInList) {
		link := one.object()
		if !isWeb(link.address) {
			continue
		}
		if t := link.mediaType(); t == "" || t == "text/html" {
			return link.address
		}
		first = firstOf(first, link.address)
	}
	return first
}

// isPublic reports whether the objects are public: at least one names recipients, and each that does includes
// everybody (activitypub section 5.6).
func isPublic(all ...*asObject) bool {
	said := false
	for _, o := range all {
		to := append(o.To.addresses(), o.CC.addresses()...)
		if len(to) == 0 {
			continue
		}
		if said = slices.ContainsFunc(to, isEverybody); !said {
			return false
		}
	}
	return said
}

// hostAndPort returns the host of an address with its port; without ports 80 and 443.
func hostAndPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
}

func isEverybody(address string) bool {
	switch address {
	case "https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public":
		return true
	}
	return false
}
