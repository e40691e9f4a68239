package programs

import "sync"

const (
	// mostSending is the maximum bytes of pictures in transit. Slow clients keep pictures in memory
	// even after the cache has dropped them.
	mostSending = 64 << 20
	// mostSendingTo is the maximum for one network.
	mostSendingTo = mostSending / 4
)

// A sending counts the pictures in transit. A picture counts once per network, for all its readers.
type sending struct {
	mu      sync.Mutex
	used    map[string]int    // bytes by network; "": total
	readers map[[2]string]int // by network and ETag
}

func newSending() *sending {
	return &sending{used: make(map[string]int), readers: make(map[[2]string]int)}
}

// begin counts a picture in transit to a network. It returns nil if the limit is reached. The
// caller must call end when the picture is sent.
func (s *sending) begin(network string, i image) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bounds := map[string]int{"": mostSending, network: mostSendingTo}
	for name, most := range bounds {
		if s.readers[[2]string{name, i.etag}] == 0 && s.used[name]+len(i.Bytes) > most {
			return nil
		}
	}
	for name := range bounds {
		if s.add(name, i.etag, 1) == 1 {
			s.used[name] += len(i.Bytes)
		}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for name := range bounds {
			if s.add(name, i.etag, -1) > 0 {
				continue
			}
			if s.used[name] -= len(i.Bytes); s.used[name] == 0 {
				delete(s.used, name)
			}
		}
	}
}

// add changes the number of a picture's readers in a network by n and returns it. The caller holds
// mu.
func (s *sending) add(network, etag string, n int) int {
	key := [2]string{network, etag}
	s.readers[key] += n
	if s.readers[key] == 0 {
		delete(s.readers, key)
		return 0
	}
	return s.readers[key]
}
