// Package tier says which tests run. A plain "go test ./..." runs what "make
// test" does: all that needs Go and a database. "make acceptance" adds what takes
// minutes or programs that are not ours: months of simulated time, kill -9,
// a browser, and the independent judges of mail.
package tier

import (
	"os"
	"testing"
)

// envAcceptance is set to 1 by make acceptance.
const envAcceptance = "DIGEST_TEST_ACCEPTANCE"

// IsAcceptance reports whether the tests of make acceptance are asked for.
func IsAcceptance() bool { return os.Getenv(envAcceptance) == "1" }

// Acceptance skips a test that belongs to make acceptance, unless it is asked for.
func Acceptance(t testing.TB) {
	t.Helper()
	if !IsAcceptance() {
		t.Skipf("belongs to make acceptance (%s=1)", envAcceptance)
	}
}

// Alone skips a long test that does one thing after another under -short, as make race
// and make acceptance run the tests: there is no race in it to be found, and make test
// runs it.
func Alone(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("does one thing after another; make test runs it, without -short")
	}
}

// Missing is told of a program that a test of make acceptance needs and that is
// not here. Such a test fails where it was asked for: what was not judged did not pass.
func Missing(t testing.TB, what string, err error) {
	t.Helper()
	if IsAcceptance() {
		t.Fatalf("%s is needed: %v; scripts/needs acceptance installs it", what, err)
	}
	t.Skipf("%s is not here: %v", what, err)
}
