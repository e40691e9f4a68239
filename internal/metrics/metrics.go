// Package metrics provides the metrics of this instance for Prometheus. It reads the database at each scrape, so that
// all processes report the same and a restart loses nothing. It counts only the events of this process itself, such as
// web requests. No label has unlimited values, such as feeds, addresses or hosts.
package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"digest"
	"digest/store"
)

// Options are the parts of Metrics. Only Store is required.
type Options struct {
	Store   *store.Store
	Version string
	Timeout time.Duration    // for the database at each scrape; default 5 s
	Now     func() time.Time // default: time.Now
	Log     *slog.Logger     // default: discards everything

	Deadline time.Duration // maximum time that an edition waits for its slowest feed

	// Storage compares a size of the database with the limits; nil: no alarms.
	Storage func(bytes int64) digest.Storage

	// Fence returns the fence of the database; nil: no fence is possible.
	Fence func(context.Context) (store.Fence, error)

	// Abandoned returns the number of abandoned documents that this process is still reading, and the number since its
	// start. If it is nil, the process reads none.
	Abandoned func() (now int, ever int64)
}

// Metrics serves the metrics of one process. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	log      *slog.Logger
}

// New returns the metrics of a process.
func New(o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "digest_http_request_duration_seconds",
			Help:    "Time to respond to web requests in this process, by route pattern and status.",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "code"}),
		log: o.Log,
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "digest_build_info", Help: "1, labelled with the version of this program.",
	}, []string{"version"})
	build.WithLabelValues(o.Version).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build, m.requests, database{o})
	if o.Abandoned != nil {
		m.registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "digest_documents_abandoned",
				Help: "Documents that this process has abandoned and whose parsing still uses processors."},
				func() float64 { now, _ := o.Abandoned(); return float64(now) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "digest_documents_abandoned_total",
				Help: "Documents that this process has abandoned, because they took too long to read."},
				func() float64 { _, ever := o.Abandoned(); return float64(ever) }))
	}
	return m
}

// Observe starts timing a web request for a route. The caller calls answered with the status of the response.
func (m *Metrics) Observe(route string) (answered func(status int)) {
	if route == "" {
		route = "none"
	}
	code := ""
	timer := prometheus.NewTimer(prometheus.ObserverFunc(func(seconds float64) {
		m.requests.WithLabelValues(route, code).Observe(seconds)
	}))
	return func(status int) {
		code = strconv.Itoa(status)
		timer.ObserveDuration()
	}
}

// ServeHTTP answers a scrape. If the database fails, it still sends the metrics of the process.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		ErrorLog:            slog.NewLogLogger(m.log.Handler(), slog.LevelWarn),
	}).ServeHTTP(w, r)
}
