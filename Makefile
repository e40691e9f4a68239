# What a person types: make test, make race, make acceptance; make check, make
# bench, make fuzz. CONTRIBUTING says how long each takes.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 20s

# The tests share one PostgreSQL server, templates of both databases, and the program. make check vets.
GOTEST = DIGEST_TEST_REQUIRE_POSTGRES=1 go run ./test/run go test -vet=off -shuffle=on

# The race detector watches our code, not the transpiled code of SQLite, which it
# would slow down more than all the rest. A program that ends waits a second for
# more races unless told otherwise, and the tests run a thousand of them.
RACE = -race -gcflags=github.com/ncruces/go-sqlite3-wasm/...=-race=false

.PHONY: test race acceptance check bench fuzz demo release package

# All packages, on both databases. No long simulation, no outside judge, no browser. Tests wait for servers and
# timers: while those of one package do, those of another have the processor. Those that take longest begin first.
PACKAGES ?= $(shell expr 2 '*' $$(getconf _NPROCESSORS_ONLN))
LONGEST = ./worker ./store ./cmd/digest ./web
test:
	@scripts/needs test
	$(GOTEST) -p $(PACKAGES) -timeout 60m $(LONGEST) ./...

# The same with the race detector, in the program that the tests run too; without
# what does one thing after another for long (tier.Alone), and of test/acceptance,
# which starts the program thousands of times, a few tests with much at once.
MANYATONCE = ^(TestStop|TestOutage|TestMailRates|TestMailConnections|TestMailZombie)$$
race: export GOFLAGS := $(shell go env GOFLAGS) $(RACE)
race: export GORACE = atexit_sleep_ms=10
race:
	@scripts/needs test
	$(GOTEST) -short -p $(PACKAGES) -timeout 120m $(LONGEST) $$(go list ./... | grep -v /test/acceptance$$)
	DIGEST_TEST_ACCEPTANCE=1 $(GOTEST) -timeout 120m -run '$(MANYATONCE)' ./test/acceptance

# What takes minutes, or programs that are not ours: simulated months, kill -9, a
# browser, SpamAssassin, rspamd, Dovecot; the public suites of parsers. Photographs of the pages are left in artifacts/.
# Some tests do little but wait, for minutes, so that three a processor run at once.
ATONCE ?= $(shell expr 3 '*' $$(getconf _NPROCESSORS_ONLN))
acceptance:
	@scripts/needs acceptance
	@mkdir -p artifacts
	DIGEST_TEST_ACCEPTANCE=1 $(GOTEST) -short -parallel $(ATONCE) -timeout 120m -artifacts -outputdir artifacts ./test/... ./web ./render ./feed ./internal/microformats
	DIGEST_TEST_ACCEPTANCE=1 $(GOTEST) -timeout 120m -run ThirtyDays ./store

# Formatting, vet, staticcheck, and known vulnerabilities of what is called; fails on
# any finding.
check:
	@test -z "$$(gofmt -l .)" || { echo "not formatted (run gofmt -w .):"; gofmt -l .; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod verify
	@scripts/vulncheck

# Each figure with the limit measured beside it in the same run, and the ratio.
bench:
	@scripts/needs test
	DIGEST_TEST_REQUIRE_POSTGRES=1 go test -run '^$$' -bench . -timeout 60m -p 1 ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@scripts/fuzz $(FUZZTIME)

# What a release is made of, into dist/: programs, Debian packages, images, checksums.
release:
	@scripts/release dist

# Builds the release and installs, upgrades, removes and purges its Debian package on this machine, as root.
package:
	@scripts/test-package

demo:
	go run ./cmd/digest demo
