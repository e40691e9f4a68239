package poller

import (
	"context"
	"time"
)

// Robots is what the robots.txt of a site says to this program by its name.
type Robots struct {
	Origin       string // scheme://host:port, the port always named
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // our group's lines; empty: it does not speak to us
}

// A RobotsCache keeps what the robots.txt of each site said.
type RobotsCache interface {
	Robots(ctx context.Context, origin string) (Robots, bool, error)
	SaveRobots(ctx context.Context, r Robots) error
}
