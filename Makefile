# What a person types: make test, make check, make bench, make fuzz.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 20s

.PHONY: test check needs bench fuzz demo

# Everything, with the race detector, against both databases. Photographs of the
# pages are left in artifacts/.
test: needs
	@mkdir -p artifacts
	DIGEST_TEST_REQUIRE_POSTGRES=1 DIGEST_TEST_REQUIRE_GRADERS=1 go test -race -shuffle=on -timeout 20m -artifacts -outputdir artifacts ./...

# Formatting, vet and staticcheck; fails on any finding.
check:
	@test -z "$$(gofmt -l .)" || { echo "not formatted (run gofmt -w .):"; gofmt -l .; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod verify

# PostgreSQL's server, Chromium and the judges of mail, installed where they are missing (Debian).
needs:
	@scripts/needs

# Each figure with the limit measured beside it in the same run, and the ratio.
bench: needs
	DIGEST_TEST_REQUIRE_POSTGRES=1 go test -run '^$$' -bench . -timeout 60m -p 1 ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@scripts/fuzz $(FUZZTIME)

demo:
	go run ./cmd/digest demo
