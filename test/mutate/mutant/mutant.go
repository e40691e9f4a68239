// Package mutant selects one of the mutants that test/mutate has written into a package. Rewritten code calls it; no
// code of the repository does. Two environment variables configure it, because one test binary serves all mutants:
//
//	DIGEST_MUTANT           the number of the mutant to run; without it the code behaves as written
//	DIGEST_MUTANT_REACHED   a file with one byte per mutant, set to 1 as soon as that mutant's code runs
package mutant

import (
	"cmp"
	"os"
	"strconv"
	"syscall"
)

// Package variables, because rewritten code calls this package everywhere, also while variables are initialised.
var (
	active  = number()
	reached = mapped()
)

func number() int {
	n, err := strconv.Atoi(os.Getenv("DIGEST_MUTANT"))
	if err != nil {
		return -1
	}
	return n
}

// mapped maps the file into memory, so that its bytes outlive a panic and os.Exit.
func mapped() []byte {
	f, err := os.OpenFile(os.Getenv("DIGEST_MUTANT_REACHED"), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return b
}

// On reports whether mutant id is selected, and records that its code was reached.
func On(id int) bool {
	if id < len(reached) && reached[id] == 0 {
		reached[id] = 1
	}
	return id == active
}

// Off is the opposite of On.
func Off(id int) bool { return !On(id) }

// Not returns b, and its opposite in mutant id.
func Not[T ~bool](id int, b T) T { return b != T(On(id)) }

// Pick returns a, and b in mutant id.
func Pick[T any](id int, a, b T) T {
	if On(id) {
		return b
	}
	return a
}

// Less returns a < b, and a <= b in mutant id.
func Less[T cmp.Ordered](id int, a, b T) bool { return a < b || On(id) && a == b }

// AtMost returns a <= b, and a < b in mutant id.
func AtMost[T cmp.Ordered](id int, a, b T) bool { return a <= b && (Off(id) || a != b) }

// More returns a > b, and a >= b in mutant id.
func More[T cmp.Ordered](id int, a, b T) bool { return a > b || On(id) && a == b }

// AtLeast returns a >= b, and a > b in mutant id.
func AtLeast[T cmp.Ordered](id int, a, b T) bool { return a >= b && (Off(id) || a != b) }
