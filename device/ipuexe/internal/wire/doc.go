// Package wire is the Cap'n Proto form of a package file: the schema
// ipuexe.capnp and the code capnpc-go makes of it. Run go generate in this
// folder after a change of the schema; published ordinals never change.
package wire

//go:generate sh generate.sh
