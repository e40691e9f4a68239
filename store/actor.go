package store

import "context"

// ActorKey returns the private key of this instance's ActivityPub actor. The first call stores the key that fresh
// creates.
func (s Feeds) ActorKey(ctx context.Context, fresh func() ([]byte, error)) ([]byte, error) {
	const name = "actor"
	key, err := s.read().setting(ctx, name)
	if err != nil || key != nil {
		return key, failed("reading the key of the actor", err)
	}
	made, err := fresh()
	if err != nil {
		return nil, err
	}
	return changed(ctx, s.database, "keeping the key of the actor", func(c conn) (key []byte, err error) {
		if err := c.Run(ctx, `INSERT INTO settings (key, value) VALUES ('`+
			name+`', ?) ON CONFLICT (key) DO NOTHING`, made); err != nil {
			return nil, err
		}
		return c.setting(ctx, name)
	})
}
