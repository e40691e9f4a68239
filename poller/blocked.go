package poller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"digest"
)

// blocksAge is how long a list of blocked hosts is used. After that, every process obeys a new block.
// Queued feeds of the host leave the queue immediately.
const blocksAge = 10 * time.Second

type blockedHosts struct {
	read func(context.Context) ([]digest.HostRule, error) // nil: no host is blocked

	mu     sync.Mutex
	rules  []digest.HostRule
	readAt time.Time // by the machine's clock, since the poller's clock may be frozen
}

// check returns a pollError if a host is blocked. It runs before each request and each redirect. A block
// does not bring a feed closer to being dead.
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
