package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
)

// newSolveLog is the log of a search. For people it is a table: a line when the
// best, the bound or the tree has changed, marked * for a better solution. With
// --log-json it is that of other commands. terms puts objectives into the terms of
// the file.
func newSolveLog(c *cli.Context, w io.Writer, terms func(*big.Rat) *big.Rat) *slog.Logger {
	if c.Bool("log-json") {
		return slog.New(&termsHandler{newLog(c, w).Handler(), terms})
	}
	return slog.New(&termsHandler{&tableHandler{w: w, timeless: c.Bool("log-timeless")}, terms})
}

// termsHandler puts the objectives of records into the terms of a file.
type termsHandler struct {
	slog.Handler
	terms func(*big.Rat) *big.Rat
}

// Handle implements slog.Handler.
func (h *termsHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "best", "bound", "objective", "relaxation":
			if x, ok := new(big.Rat).SetString(a.Value.String()); ok {
				a.Value = slog.StringValue(exactText(h.terms(x)))
			}
		}
		out.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, out)
}

// tableHandler writes records as lines for people.
type tableHandler struct {
	w        io.Writer
	timeless bool
	mu       sync.Mutex
	headed   bool
	last     string
}

// columns of the table: attribute, which is also its heading, and width.
var columns = []struct {
	key   string
	width int
}{{"nodes", 9}, {"open", 8}, {"best", 16}, {"bound", 16}, {"gap", 9}, {"iterations", 11}, {"seconds", 9}}

// Enabled implements slog.Handler.
func (h *tableHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// WithAttrs and WithGroup implement slog.Handler; engines use neither.
func (h *tableHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *tableHandler) WithGroup(string) slog.Handler { return h }

// Handle implements slog.Handler.
func (h *tableHandler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	switch r.Message {
	case "incumbent", "progress":
		line, news := h.row(&r)
		if r.Message == "progress" && news == h.last {
			return nil
		}
		h.last = news
		if !h.headed {
			h.headed = true
			b.WriteString(h.heading())
		}
		b.WriteString(line)
	default:
		if r.Level > slog.LevelInfo {
			fmt.Fprintf(&b, "%s: ", strings.ToLower(r.Level.String()))
		}
		fmt.Fprintf(&b, "%-11s", r.Message)
		sep := ""
		r.Attrs(func(a slog.Attr) bool {
			if a.Key != "seconds" {
				fmt.Fprintf(&b, "%s%s %s", sep, a.Key, cell(a))
				sep = ", "
			}
			return true
		})
		h.headed = false // other lines came between
		b.WriteByte('\n')
	}
	_, err := io.WriteString(h.w, b.String())
	return err
}

func (h *tableHandler) heading() string {
	b := " "
	for _, c := range columns {
		if !h.timeless || c.key != "seconds" {
			b += fmt.Sprintf("%*s", c.width, c.key)
		}
	}
	return b + "\n"
}

// row is a line of the table, and what of it is news: all but mark and time.
func (h *tableHandler) row(r *slog.Record) (line, news string) {
	value := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		value[a.Key] = cell(a)
		return true
	})
	line = " "
	if r.Message == "incumbent" {
		line = "*"
	}
	for _, c := range columns {
		text := value[c.key]
		if text == "" {
			text = "-"
		}
		text = fmt.Sprintf("%*s", c.width, text)
		switch {
		case c.key != "seconds":
			line, news = line+text, news+text
		case !h.timeless:
			line += text
		}
	}
	return line + "\n", news
}

// cell is the value of an attribute for people.
func cell(a slog.Attr) string {
	if a.Value.Kind() == slog.KindFloat64 {
		switch a.Key {
		case "gap":
			return percent(a.Value.Float64())
		case "seconds":
			return strconv.FormatFloat(a.Value.Float64(), 'f', 2, 64)
		}
	}
	return a.Value.String()
}
