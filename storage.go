package digest

// Storage is the size of the database and the free disk space, in bytes.
type Storage struct {
	Bytes int64 // of the database
	Alarm int64 // size from which the operator is alerted; 0: never
	Free  int64 // on the disk of the database; negative: unknown
}

const leastFree = 1 << 30

// Large reports whether the database is larger than the operator's limit.
func (s Storage) Large() bool { return s.Alarm > 0 && s.Bytes > s.Alarm }

// Tight reports whether the disk of the database is nearly full.
func (s Storage) Tight() bool { return s.Free >= 0 && s.Free < leastFree }
