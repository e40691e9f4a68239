package digest_test

import (
	"go/ast"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestForeignBytes checks that foreignBounds has an entry for every file that reads foreign bytes, and that each entry
// with inPlace is true. The entry says what limits the work: the number of bytes, and what ends it. The test finds the
// files that call a decoder, or a function of a parser that takes bytes.
func TestForeignBytes(t *testing.T) {
	files := parsed(t, false)
	entries := entriesOf(files)
	found := map[string]bool{}
	for name, file := range files {
		dir := path.Dir(name)
		if slices.Contains(parsers, dir) || strings.HasPrefix(dir, "test/") {
			continue
		}
		for call, inside := range foreignCalls(file, entries) {
			found[name] = true
			bound, listed := foreignBounds[name]
			switch {
			case !listed:
				t.Errorf("%s calls %s: say in foreignBounds what bounds it", name, call)
			case bound == inPlace && !inside:
				t.Errorf("%s calls %s outside a place for documents (poller.Parsers.Do)", name, call)
			}
		}
	}
	for name := range foreignBounds {
		if !found[name] {
			t.Errorf("%s reads nothing foreign any more: take its line away", name)
		}
	}
}

// TestPatternsAreOurs checks that every regular expression is a literal. One that is built from foreign bytes can be
// large, and slow for every byte of its input.
func TestPatternsAreOurs(t *testing.T) {
	for name, file := range parsed(t, false) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f := types.ExprString(call.Fun)
			if (f == "regexp.MustCompile" || f == "regexp.Compile") && !isLiteral(call.Args[0]) {
				t.Errorf("%s: a pattern that is not a literal: %s", name, types.ExprString(call.Args[0]))
			}
			return true
		})
	}
}

// isLiteral reports whether an expression is a string literal, or joins literals and constants.
func isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Obj != nil && e.Obj.Kind == ast.Con
	case *ast.BinaryExpr:
		return isLiteral(e.X) && isLiteral(e.Y)
	}
	return false
}

// parsers lists the packages that parse and do no input or output. Their callers limit the bytes. Their cost tests and
// fuzz targets check that the work grows in proportion to the bytes.
var parsers = []string{
	"feed", "push", "internal/dmarc", "internal/hypertext", "internal/microformats", "internal/picture",
	"internal/logo",
	"internal/members", "internal/textsearch", "internal/catalogue",
}

// decoders lists functions of other packages that decode foreign bytes.
var decoders = strings.Fields(`
	json.Unmarshal json.NewDecoder xml.Unmarshal xml.NewDecoder csv.NewReader zip.NewReader tar.NewReader
	gzip.NewReader flate.NewReader zlib.NewReader brotli.NewReader zstd.NewReader
	html.Parse html.ParseFragment html.ParseWithOptions html.ParseFragmentWithOptions html.NewTokenizer nethtml.NewTokenizer
	image.Decode image.DecodeConfig png.Decode png.DecodeConfig jpeg.Decode jpeg.DecodeConfig gif.Decode gif.DecodeConfig
	mail.ReadMessage message.New message.Read multipart.NewReader io.ReadAll io.Copy bufio.NewScanner
	x509.ParseCertificate x509.ParsePKIXPublicKey
	protocol.ParseCredentialCreationResponseBytes protocol.ParseCredentialRequestResponseBody
	r.ParseForm r.ParseMultipartForm r.MultipartReader r.FormFile`)

// bytesTypes lists the types of parameters that carry foreign bytes.
var bytesTypes = []string{"[]byte", "io.Reader", "io.ReaderAt"}

// entriesOf returns the exported functions of parsers that take bytes, or, in hypertext, markup.
func entriesOf(files map[string]*ast.File) (entries []string) {
	for name, file := range files {
		dir := path.Dir(name)
		if !slices.Contains(parsers, dir) {
			continue
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			takes := slices.Clone(bytesTypes)
			if dir == "internal/hypertext" {
				takes = append(takes, "string")
			}
			if ok && f.Name.IsExported() && f.Recv == nil &&
				slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
					return slices.Contains(takes, types.ExprString(p.Type))
				}) {
				entries = append(entries, filepath.Base(dir)+"."+f.Name.Name)
			}
		}
	}
	return entries
}

// foreignCalls returns the decoders and entries that a file calls, and whether every call is in a function that
// runs in a place for documents.
func foreignCalls(file *ast.File, entries []string) map[string]bool {
	calls := map[string]bool{}
	var visit func(n ast.Node, inside bool)
	visit = func(n ast.Node, inside bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := types.ExprString(call.Fun)
			if slices.Contains(decoders, name) || slices.Contains(entries, name) {
				was, again := calls[name]
				calls[name] = inside && (was || !again)
			}
			for _, arg := range call.Args {
				_, isWork := arg.(*ast.FuncLit)
				visit(arg, inside || isWork && places[name[strings.LastIndex(name, ".")+1:]])
			}
			visit(call.Fun, inside)
			return false
		})
	}
	visit(file, false)
	return calls
}

// places lists the functions of poller that run their last argument in a place for documents.
var places = map[string]bool{"Do": true, "inPlace": true, "document": true, "Work": true}

const (
	inPlace  = "a document within its limits, in a place for documents: 5 s and 3 s more for each megabyte"
	operator = "a file or the input of the person at the command line, up to a size, until it is interrupted"
	stored   = "what the program itself wrote to its database, within the limits of the row"
	sealed   = "what the program itself sealed, so that no byte of it is foreign"
	request  = "the body of a request, 64 KB unless middleware.go says more, within its time limit"
	ours     = "text that the program itself made"
)

// foreignBounds says for each file what limits the work.
var foreignBounds = map[string]string{
	"cmd/digest/bounce.go":          operator,
	"internal/places/generate.go":   operator,
	"cmd/digest/files.go":           operator,
	"cmd/digest/newsletter.go":      operator,
	"cmd/digest/newsletter_list.go": operator,
	"cmd/digest/parse.go":           operator,
	"cmd/digest/user_add.go":        operator,
	"internal/backup/file.go":       operator,
	"internal/backup/reader.go":     operator,
	"internal/bounce/aggregate.go": "an attachment of a message of bounce.MaxMessage, unpacked to " +
		"dmarc.maxXML at most",
	"internal/bounce/maildir.go":    "bounce.MaxMessage for each message",
	"internal/bounce/report.go":     "a message of bounce.MaxMessage, with maxPart for each part",
	"internal/bounce/session.go":    "bounce.MaxMessage, in one of 50 connections of 15 minutes each",
	"internal/doctor/baseurl.go":    "1 MB, within the time limit of the check",
	"internal/doctor/dkim.go":       "a DNS record of 64 KB at most",
	"internal/seal/seal.go":         sealed,
	"mailer/base64.go":              ours,
	"poller/activitypub.go":         inPlace,
	"poller/behind.go":              inPlace,
	"poller/body.go":                "Options.MaxBody after each content coding, within the time limit of the request",
	"poller/error.go":               "feed.MaxProblem, within the time limit of the request",
	"poller/form.go":                "maxFormAnswer, within the time limit of the request",
	"poller/more.go":                inPlace,
	"poller/parsers.go":             inPlace,
	"render/excerpt_links.go":       "the content of a post, cut to feed.maxContent in its place",
	"render/pictured.go":            "the content of a post, cut to feed.maxContent in its place",
	"render/parse.go":               "the content of a post, cut to feed.maxContent in its place",
	"render/picture_size.go":        "one tag of the content of a post",
	"render/pieces.go":              ours,
	"store/at_work.go":              stored,
	"store/bodies.go":               stored,
	"store/fence.go":                stored,
	"store/fence_release.go":        stored,
	"store/notes.go":                stored,
	"store/db/rows.go":              stored,
	"store/db/occupy.go":            "1 KB of a file of the program",
	"store/prune_waiting.go":        stored,
	"store/subscriptions_former.go": stored,
	"web/page/respond.go":           ours,
	"web/api/api.go":                request,
	"web/api/logo.go":               request,
	"web/page/upload.go":            "maxList, read by poller.ReadList in a place for documents",
	"web/feeds_import_report.go":    stored,
	"web/page/form.go":              request,
	"worker/pictures.go":            "the first bytes of a picture, poller.lookBytes",
	"web/programs/image.go":         "the first bytes of a picture of poller.maxPicture",
	"web/offline.go":                ours,
	"web/passkeys.go":               request,
	"web/programs/ping.go":          request,
	"web/publisher/import.go":       "maxList, in one of two places (Site.joining), until its context ends",
	"web/publisher/logo.go":         "logo.MaxBytes, in a place (Site.drawing)",
	"web/programs/push.go": "the longest feed, counted in page.Site.long, within the time limit of " +
		"the request",
	"web/unsubscribe.go": request,
}
