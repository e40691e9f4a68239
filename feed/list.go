package feed

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"digest"
)

// Lists in formats other than OPML: one address per line (Newsboat), tables (Mastodon, YouTube), and JSON (NewPipe,
// FreeTube).

// The limits of a list in lines: the bytes of a line, and the rows of a table.
const (
	mostLine = 64 << 10
	mostRows = 2 * maxFeeds
)

// readOtherList reads a list in a format other than OPML; nil: the text is no list.
func readOtherList(text string) *Document {
	text = strings.TrimLeft(text, "\uFEFF")
	ways := []func(string) *Document{readJSONList, readTable, readLines}
	if json.Valid([]byte(text)) {
		ways = ways[:1]
	}
	for _, read := range ways {
		if d := read(text); d != nil && len(d.Feeds) > 0 {
			return d
		}
	}
	return nil
}

func (d *Document) listed(o Offer) {
	o.Title = titleBeside(o.URL, o.URL, lineOf(o.Title))
	if d.Kind = OPML; len(d.Feeds) < maxFeeds {
		d.Feeds = append(d.Feeds, o)
	}
}

var plainAccount = regexp.MustCompile(`^@?[\w.-]+@[\pL\pN.-]+\.[\pL\pN-]+(:\d{1,5})?$`)

// accountIn returns a fediverse account as @ann@example.org; "" for other text.
func accountIn(s string) string {
	if s = strings.TrimSpace(s); !plainAccount.MatchString(s) || len(s) > maxAddress {
		return ""
	}
	return "@" + strings.TrimPrefix(s, "@")
}

type column int

const (
	addressColumn column = iota
	titleColumn
	folderColumn
)

func columnOf(head string) (c column, known bool) {
	c, known = columns[strings.Join(strings.FieldsFunc(strings.ToLower(head),
		func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '\uFEFF' }), "")]
	return c, known
}

var columns = byWord(map[column]string{
	addressColumn: "xmlurl feedurl feed rss rssurl rssfeed url address link accountaddress account channelurl",
	titleColumn:   "title name feedtitle feedname channeltitle displayname",
	folderColumn:  "folder category categories tag tags group listname list",
})

// mutes reports whether a table is Mastodon's export of muted accounts.
func mutes(head []string) bool {
	return slices.ContainsFunc(head, func(name string) bool {
		return strings.EqualFold(strings.TrimSpace(name), "Hide notifications")
	})
}

// readTable reads a table with a column of addresses, YouTube's table of channels with a header in any language, or a
// table of accounts without a header.
func readTable(text string) *Document {
	for line := range strings.Lines(text) {
		if len(line) > mostLine {
			return nil
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	switch {
	case strings.Contains(first, ","):
	case strings.Contains(first, ";"):
		r.Comma = ';'
	default:
		r.Comma = '\t'
	}
	d, columns, others := &Document{}, map[column]int{}, 0
	for row := 0; len(d.Feeds) < maxFeeds && row < mostRows; row++ {
		cells, err := r.Read()
		if err != nil && others > len(d.Feeds) {
			return nil
		} else if err != nil {
			return d
		}
		if row == 0 {
			columns = columnsOf(cells)
			if mutes(cells) {
				return nil
			}
			if len(columns) > 0 {
				continue
			}
		}
		line, _ := r.FieldPos(0)
		if o, ok := offerInRow(cells, columns); ok {
			o.Line = line
			d.listed(o)
		} else if _, named := columns[addressColumn]; named && strings.TrimSpace(strings.Join(cells, "")) != "" {
			d.addBad(line, lineOf(cells[0]), digest.Refuse(digest.Invalid, "no feed address"))
		} else {
			others++
		}
	}
	return d
}

// columnsOf returns the indexes of the columns that the header names; nil: it names no address.
func columnsOf(head []string) map[column]int {
	columns := map[column]int{}
	for i, name := range head {
		if c, known := columnOf(name); known {
			if _, twice := columns[c]; !twice {
				columns[c] = i
			}
		}
	}
	if _, found := columns[addressColumn]; !found {
		return nil
	}
	return columns
}

func offerInRow(cells []string, columns map[column]int) (Offer, bool) {
	cell := func(c column) string {
		if i, found := columns[c]; found && i < len(cells) {
			return strings.Clone(strings.TrimSpace(cells[i]))
		}
		return ""
	}
	if id := strings.TrimSpace(cells[0]); channelID.MatchString(id) {
		o := Offer{URL: youTubeFeed + "channel_id=" + strings.Clone(id)}
		if len(cells) > 2 {
			o.Title = strings.Clone(cells[2])
		}
		return o, true
	}
	address := cell(addressColumn)
	if len(columns) == 0 && len(cells) <= 5 {
		address = accountIn(strings.Clone(cells[0]))
	}
	if account := accountIn(address); account != "" {
		return Offer{URL: account, Folder: joinFolder("", lineOf(cell(folderColumn)))}, true
	}
	if !isListed(address) {
		return Offer{}, false
	}
	return Offer{URL: address, Title: cell(titleColumn), Folder: joinFolder("", lineOf(cell(folderColumn)))}, true
}

// isListed reports whether a text is an address or an account that a list may contain.
func isListed(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	return isWeb(s) || found && rest != "" && isFeedScheme(scheme) || accountIn(s) != "" ||
		strings.HasPrefix(s, "at://") || IsDID(s)
}

// readLines reads a list with one address per line. It accepts a text only if half of its lines are addresses.
func readLines(text string) *Document {
	d, section, others, number := &Document{}, "", 0, 0
	for line := range strings.Lines(text) {
		number++
		if len(line) > mostLine {
			others++
			continue
		}
		line = strings.TrimSpace(line)
		switch section = sectionOf(line, section); {
		case line == "", line[0] == '#', strings.HasPrefix(line, "//"), strings.HasPrefix(line, "@ "):
			continue
		}
		o, why := offerInLine(line)
		switch {
		case why != nil:
			d.addBad(number, lineOf(o.Title), why)
		case o.URL == "":
			others++
		default:
			o.Line, o.Folder = number, firstOf(o.Folder, section)
			d.listed(o)
		}
	}
	if others > len(d.Feeds)+len(d.BadLines) {
		return nil
	}
	return d
}

// sectionOf returns the folder for the lines after line: newsraft writes "@ News".
func sectionOf(line, now string) string {
	if name, found := strings.CutPrefix(line, "@ "); found {
		return joinFolder("", lineOf(name))
	}
	return now
}

// offerInLine reads a line: an address with Newsboat's tags, or with the title and the folder of Snownews after "|".
// A tag with "~" is the title, the first other tag the folder. If the line has no feed, why is the reason.
func offerInLine(line string) (o Offer, why error) {
	for _, mark := range []string{"- ", "* ", "+ ", "• "} {
		line = strings.TrimPrefix(line, mark)
	}
	words := quotedWords(line)
	if len(words) == 0 {
		return Offer{}, nil
	}
	address, title, _ := strings.Cut(words[0], "|")
	title, folder, _ := strings.Cut(title, "|")
	folder, _, _ = strings.Cut(folder, "|")
	o = Offer{URL: address, Title: title, Folder: joinFolder("", lineOf(folder))}
	for _, tag := range words[1:] {
		switch name, isTitle := strings.CutPrefix(tag, "~"); {
		case isTitle:
			o.Title = name
		case o.Folder == "" && !strings.HasPrefix(tag, "!") && tag != "":
			o.Folder = joinFolder("", lineOf(tag))
		}
	}
	switch {
	case strings.HasPrefix(address, "query:"):
		o.Title = strings.Split(words[0], ":")[1]
		return o, digest.Refuse(digest.Invalid, "this is a search in another reader, not a feed")
	case strings.HasPrefix(address, "filter:"), strings.HasPrefix(address, "exec:"):
		o.Title = firstOf(o.Title, words[0])
		return o, digest.Refuse(digest.Invalid,
			"a local script creates this feed; enter the address that the script reads")
	case strings.HasPrefix(address, "file:"):
		o.Title = firstOf(o.Title, words[0])
		return o, digest.Refuse(digest.Invalid, "this is a file on your computer, not a feed on the web")
	case isListed(address):
		if account := accountIn(address); account != "" {
			o.URL = account
		}
		return o, nil
	}
	return titledAddress(line), nil
}

// titledAddress reads a line with an address at its end, after a title.
func titledAddress(line string) Offer {
	at := max(strings.LastIndex(line, "http://"), strings.LastIndex(line, "https://"))
	if at <= 0 || at > maxAnchor || !isWeb(line[at:]) || strings.ContainsAny(strings.TrimRight(line[at:], ")>"),
		" \t()<>\"{}") {
		return Offer{}
	}
	return Offer{URL: strings.TrimRight(line[at:], ")>"), Title: strings.Trim(line[:at], " \t:;,|–—-()[]<>\"")}
}

// quotedWords splits a line at its spaces. Words in double quotes may contain spaces and escaped quotes.
func quotedWords(line string) []string {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == '"' && (quoted || !begun):
			quoted, begun = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteByte(c)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// The limits of a list in JSON: the depth of its objects, its bytes, its objects and arrays, and its values. Values
// need many times the memory of their text.
const (
	mostDepth   = 8
	maxJSONList = 16 << 20
	mostInJSON  = 300_000
	mostValues  = 2_000_000
)

// readJSONList reads a list in JSON: objects with the address and the name of a feed or a channel. NewPipe, FreeTube
// and YouTube's older archives write such lists.
func readJSONList(text string) *Document {
	if begin := strings.TrimLeft(text, " \t\r\n"); begin == "" || begin[0] != '{' && begin[0] != '[' ||
		len(text) > maxJSONList {
		return nil
	}
	if strings.Count(text, "{")+strings.Count(text, "[") > mostInJSON || strings.Count(text, ",") > mostValues {
		return nil
	}
	d, decoder := &Document{}, json.NewDecoder(strings.NewReader(text))
	for len(d.Feeds) < maxFeeds { // FreeTube writes one object per line
		var value any
		if decoder.Decode(&value) != nil {
			break
		}
		d.listJSON(value, "", 0)
	}
	for i := range d.Feeds {
		d.Feeds[i].Line = 1
	}
	return d
}

func (d *Document) listJSON(value any, folder string, depth int) {
	if depth > mostDepth {
		return
	}
	switch v := value.(type) {
	case string:
		if isListed(v) && depth > 0 {
			d.listed(Offer{URL: v, Folder: folder})
		}
	case []any:
		for _, inner := range v {
			d.listJSON(inner, folder, depth+1)
		}
	case map[string]any:
		if o, ok := offerInObject(v); ok {
			o.Folder = folder
			d.listed(o)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch inner := v[name].(type) {
			case []any, map[string]any:
				d.listJSON(inner, folder, depth+1)
			}
		}
	}
}

func offerInObject(object map[string]any) (Offer, bool) {
	text := func(names ...string) string {
		for _, name := range names {
			if s, ok := object[name].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	o := Offer{Title: text("title", "name", "text", "displayName")}
	if inner, ok := object["snippet"].(map[string]any); ok { // the format of YouTube's API
		resource, _ := inner["resourceId"].(map[string]any)
		id, _ := resource["channelId"].(string)
		o.Title, _ = inner["title"].(string)
		o.URL = youTubeFeed + "channel_id=" + id
		return o, channelID.MatchString(id)
	}
	if address := text("feed_url", "feedUrl", "xmlUrl", "xml_url", "rssUrl", "rss_url", "rss"); isListed(address) {
		o.URL = address
		return o, true
	}
	if id := text("id", "channelId", "authorId"); channelID.MatchString(id) {
		o.URL = youTubeFeed + "channel_id=" + id
		return o, true
	}
	if address := text("url"); isListed(address) && (o.Title != "" || len(object) == 1) {
		o.URL = address
		return o, true
	}
	return o, false
}
