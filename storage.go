package digest

// Storage is how large the database is, and the room there is, in bytes.
type Storage struct {
	Bytes int64 // of the database
	Alarm int64 // from when on the operator is told; 0: never
	Free  int64 // on the disk of the database; below 0: not known
}

// leastFree is how much must be free on the disk, in bytes.
const leastFree = 1 << 30

// Large reports whether the database is larger than the operator wants it.
func (s Storage) Large() bool { return s.Alarm > 0 && s.Bytes > s.Alarm }

// Tight reports whether the disk of the database is nearly full.
func (s Storage) Tight() bool { return s.Free >= 0 && s.Free < leastFree }
