package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// clockPath is the path at which day sets the clock of the sites.
const clockPath = "/now/"

// serve serves all sites on every address of 127.0.0.0/8 until ctx ends. If ca is not empty, it uses TLS and writes
// the root certificate to that file.
func serve(ctx context.Context, port int, ca string) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp4", fmt.Sprintf("0.0.0.0:%d", port))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: new(sites), ErrorLog: log.New(io.Discard, "", 0)}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if ca == "" {
		err = server.Serve(l)
	} else {
		err = serveTLS(server, l, ca)
	}
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// Sites respond 304 until a feed has a new post.
type sites struct{ now atomic.Int64 }

func (s *sites) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if at, told := strings.CutPrefix(r.URL.Path, clockPath); told {
		now, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		s.now.Store(now)
		return
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	feed, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		http.NotFound(out, r)
		return
	}
	newest := written(feed, s.now.Load())
	tag := fmt.Sprintf(`"%d"`, newest)
	out.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		out.WriteHeader(http.StatusNotModified)
		return
	}
	document(out, r.Host, feed, newest)
}

// document writes a feed with the posts since fill.
func document(out http.ResponseWriter, host string, feed, newest int64) {
	out.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprintf(out, `<rss version="2.0"><channel><title>Site %d</title><link>http://%s/</link>`, feed, host)
	for i := newest; i > max(newest-20, written(feed, firstDay().Unix()-86400)); i-- {
		fmt.Fprintf(out, `<item><title>A headline of usual length, number %d of site %d</title><guid>%d-%d</guid><link>http://%s/%d/%d</link><description>%s</description></item>`,
			i, feed, feed, i, host, feed, i, strings.Repeat("A sentence that says what the post is about. ", 20))
	}
	fmt.Fprint(out, `</channel></rss>`)
}
