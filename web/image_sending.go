package web

import "sync"

const (
	// mostSending is how many bytes of pictures may be on their way to who asked for
	// them: who reads slowly keeps them in memory, wherever the cache has forgotten them.
	mostSending = 64 << 20
	// mostSendingTo is the part of it that one network may have.
	mostSendingTo = mostSending / 4
)

// A sending counts the pictures that are on their way, each once for all who read it.
type sending struct {
	mu      sync.Mutex
	used    map[string]int    // bytes by network; "": all
	readers map[[2]string]int // by network and version of the picture
}

func newSending() *sending {
	return &sending{used: make(map[string]int), readers: make(map[[2]string]int)}
}

// begin counts a picture that is sent to a network; nil: there is no room for it.
// Whoever got a function calls it when the picture was sent.
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

// add counts the readers of a picture in a network. The caller holds mu.
func (s *sending) add(network, etag string, n int) int {
	key := [2]string{network, etag}
	s.readers[key] += n
	if s.readers[key] == 0 {
		delete(s.readers, key)
		return 0
	}
	return s.readers[key]
}
