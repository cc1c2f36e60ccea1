package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"ipusolve/device/sim"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes a command line and returns its exit code. An error is one line on
// stderr; behind a fault of the simulated program follow the words around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	args, err := flagsFirst(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(stderr, "ipusolve: %s\n", oneLine(err))
	var fault *sim.Error
	if errors.As(err, &fault) {
		io.WriteString(stderr, fault.Listing)
	}
	return exitCode(err)
}

func newApp(stdout, stderr io.Writer) *cli.App {
	usage := func(_ *cli.Context, err error, _ bool) error { return usageError("%v", err) }
	app := &cli.App{
		Name:      "ipusolve",
		Usage:     "compile for the Graphcore C600 with solved decisions and proven bounds",
		Writer:    stdout,
		ErrWriter: stderr,
		Commands: []*cli.Command{compileCommand(), runCommand(), gapCommand(), inspectCommand(),
			scheduleCommand(), solveCommand(), exportCommand(), verifyCommand(), benchCommand(), compareCommand(), gridCommand(), explainCommand(), diffCommand(), versionCommand()},
		HideVersion: true,
		// A file name may have a comma.
		DisableSliceFlagSeparator: true,
		HideHelpCommand:           true,
		OnUsageError:              usage,
		ExitErrHandler:            func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError("unknown command %q; ipusolve --help lists the commands", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError = usage
		c.HideHelpCommand = true
		c.Flags = append(c.Flags, logFlags()...)
	}
	return app
}

// flagsFirst moves the flags of a command before its arguments, which is where
// the flag parser wants them. What follows "--" are arguments.
func flagsFirst(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	command := app.Command(args[1])
	if command == nil {
		return args, nil
	}
	takesValue := map[string]bool{"help": false, "h": false}
	for _, f := range command.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		for _, name := range f.Names() {
			takesValue[name] = ok && d.TakesValue()
		}
	}
	var flags, rest []string
	for i := 2; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' {
			rest = append(rest, a)
			continue
		}
		flags = append(flags, a)
		name, _, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		value, known := takesValue[name]
		if !known {
			return nil, usageError("%s: flag %s is not defined; ipusolve %s --help lists the flags", command.Name, a, command.Name)
		}
		if value && !joined {
			if i+1 == len(args) {
				return nil, usageError("%s: flag %s needs a value", command.Name, a)
			}
			i++
			flags = append(flags, args[i])
		}
	}
	return append(append([]string{args[0], args[1]}, append(flags, "--")...), rest...), nil
}

// argument is the only argument of a command.
func argument(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", usageError("%s: want one argument, %s, found %d", c.Command.Name, what, c.NArg())
	}
	return c.Args().First(), nil
}
