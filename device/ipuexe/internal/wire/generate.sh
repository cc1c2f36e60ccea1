#!/bin/sh
# Regenerates ipuexe.capnp.go. Needs Debian's capnproto compiler; the Go plugin
# and the annotation file come from the module version in go.mod.
set -e
cd "$(dirname "$0")"
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/capnpc-go" capnproto.org/go/capnp/v3/capnpc-go
std=$(go list -m -f '{{.Dir}}' capnproto.org/go/capnp/v3)/std
capnp compile -I"$std" -o"$bin/capnpc-go" ipuexe.capnp
gofmt -w ipuexe.capnp.go
