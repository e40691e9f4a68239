package poller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
)

// blocksAge is how long what was read of blocked hosts is believed: a block holds for every request of
// every process after it. Feeds of the host leave the queue at once.
const blocksAge = 10 * time.Second

// A blockedHosts knows the hosts of which nothing is asked.
type blockedHosts struct {
	read func(context.Context) ([]digest.HostRule, error) // nil: there are none

	mu     sync.Mutex
	rules  []digest.HostRule
	readAt time.Time // by the machine's clock, for that of the poller may stand still
}

// check gives a pollError for a host that is blocked. It is asked before each request, those that redirects
// lead to included. That it was blocked brings a feed that leads
// there no nearer to its end.
func (b *blockedHosts) check(ctx context.Context, host string) error {
	if b.read == nil {
		return nil
	}
	rules, err := b.current(ctx)
	if err != nil {
		return fmt.Errorf("reading which hosts are blocked: %w", err)
	}
	if block, blocked := digest.BlockedBy(rules, host); blocked {
		return &pollError{failure: failure{blocked: true}, text: block.Refusal()}
	}
	return nil
}

func (b *blockedHosts) current(ctx context.Context) ([]digest.HostRule, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.readAt.IsZero() && time.Since(b.readAt) < blocksAge {
		return b.rules, nil
	}
	rules, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	b.rules, b.readAt = rules, time.Now()
	return rules, nil
}
