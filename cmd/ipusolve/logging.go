package main

import (
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"
)

func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "log-json", Usage: "log JSON lines"},
		&cli.BoolFlag{Name: "log-timeless", Usage: "log without times and durations, the same for equal runs"},
	}
}

// newLog logs to w as the flags of the command say.
func newLog(c *cli.Context, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{}
	if c.Bool("log-timeless") {
		options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == "seconds") {
				return slog.Attr{}
			}
			return a
		}
	}
	if c.Bool("log-json") {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
