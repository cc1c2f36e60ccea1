# make run and make test need Debian 12, Go and a C compiler; what else is missing
# they install with apt-get (as root or through sudo).

FUZZTIME = 1m

build_packages = g++ pkg-config coinor-libclp-dev
# Other people's tools that tests ask for a second opinion.
test_packages  = $(build_packages) capnproto coinor-cbc glpk-utils cadical

# Packages that start goroutines, for the race detector; those of encode are
# tested by its subpackage.
concurrent = $(shell grep -rlE --include='*.go' 'sync\.WaitGroup|\bgo func|errgroup\.' . | xargs -n1 dirname | sort -u) ./encode/planning

.PHONY: run test bench study fuzz generate clean build need-build need-test

run: build
	@mkdir -p build
	bin/ipusolve compile --workload siglip-mlp --mlp-tokens 729 --mlp-dim 1152 --mlp-hidden-dim 4304 --mlp-blocks 1 \
		--tiles 1472 --optimal -o build/siglip-mlp.ipuexe
	bin/ipusolve run build/siglip-mlp.ipuexe --check

build: need-build
	@mkdir -p build
	go build -o bin/ipusolve ./cmd/ipusolve

test: need-test
	scripts/checkfmt
	go vet ./...
	go tool staticcheck ./...
	go test ./...
	go test -race -short $(concurrent)

bench: need-build
	go test -run '^$$' -bench . -benchtime 3x -timeout 30m ./bench/suite

# docs/study.md: solved plans against the baselines on the whole suite.
study: build
	bin/ipusolve compare --page docs/study.md --svg docs/study.svg

# Every fuzz target in turn.
fuzz: need-build
	scripts/fuzz $(FUZZTIME)

# Generated code: the Cap'n Proto records of packages.
generate: need-test
	go generate ./...

clean:
	rm -rf bin build

need-build:
	@scripts/need $(build_packages)

need-test:
	@scripts/need $(test_packages)
