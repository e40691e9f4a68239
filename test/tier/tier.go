// Package tier decides which tests run. A plain "go test ./..." runs the tests of "make test", which need only Go and
// a database. "make acceptance" adds tests that take minutes or other programs: months of simulated time, kill -9, a
// browser, and mail checkers.
package tier

import (
	"os"
	"testing"
)

// envAcceptance is the variable that make acceptance sets to 1.
const envAcceptance = "DIGEST_TEST_ACCEPTANCE"

// IsAcceptance reports whether the tests of make acceptance run.
func IsAcceptance() bool { return os.Getenv(envAcceptance) == "1" }

// Acceptance skips a test that runs only in make acceptance.
func Acceptance(t testing.TB) {
	t.Helper()
	if !IsAcceptance() {
		t.Skipf("belongs to make acceptance (%s=1)", envAcceptance)
	}
}

// Alone skips a long test without concurrency under -short, which make race and make acceptance set. Such a test has
// no races, and make test runs it.
func Alone(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("does one thing after another; make test runs it, without -short")
	}
}

// Missing reports that a program for a test of make acceptance is not installed. In make acceptance it fails the
// test; otherwise it skips it.
func Missing(t testing.TB, what string, err error) {
	t.Helper()
	if IsAcceptance() {
		t.Fatalf("%s is needed: %v; scripts/needs acceptance installs it", what, err)
	}
	t.Skipf("%s is not here: %v", what, err)
}
