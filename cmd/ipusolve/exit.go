package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ipusolve"
	"ipusolve/device/sim"
	"ipusolve/encode/planning"
	"ipusolve/lower"
	"ipusolve/model"
)

// Exit codes.
const (
	exitDone       = 0
	exitError      = 1
	exitUsage      = 2
	exitInfeasible = 3
	exitLimit      = 4 // a limit came before the demanded proof
	exitCheck      = 5 // a check failed
)

// codedError is an error that decides the exit code.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func limitError(format string, args ...any) error {
	return &codedError{exitLimit, fmt.Errorf(format, args...)}
}

func checkError(format string, args ...any) error {
	return &codedError{exitCheck, fmt.Errorf(format, args...)}
}

// exitCode classifies an error.
func exitCode(err error) int {
	var coded *codedError
	var infeasible *planning.InfeasibleError
	var full *lower.PlaceError
	var short *lower.ReserveError
	var fault *sim.Error
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, model.ErrUsage):
		return exitUsage
	case errors.As(err, &infeasible), errors.As(err, &full), errors.As(err, &short):
		return exitInfeasible
	case errors.Is(err, ipusolve.ErrNoPlan), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exitLimit
	case errors.Is(err, ipusolve.ErrVerify), errors.As(err, &fault):
		return exitCheck
	}
	return exitError
}

// oneLine is an error's text on one line.
func oneLine(err error) string {
	text := strings.TrimSpace(err.Error())
	text = strings.TrimPrefix(text, "ipusolve: ")
	return strings.ReplaceAll(text, "\n", "; ")
}
