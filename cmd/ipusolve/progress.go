package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// console is standard error: lines of the log, and below them on a terminal one
// line that says what is going on. It may be used from several goroutines.
type console struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	line     string
}

func newConsole(w io.Writer) *console {
	c := &console{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		c.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return c
}

const clearLine = "\r\x1b[K"

// Write writes whole lines above the progress line.
func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != "" {
		io.WriteString(c.w, clearLine)
	}
	n, err := c.w.Write(b)
	if c.line != "" {
		io.WriteString(c.w, c.line)
	}
	return n, err
}

// progress shows what is done: part done of total. Without a terminal it shows
// nothing.
func (c *console) progress(what string, done, total int) { c.say("%s %d/%d", what, done, total) }

// say shows a line as progress does.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.terminal {
		c.line = fmt.Sprintf(format, args...)
		io.WriteString(c.w, clearLine+c.line)
	}
}

// done takes the progress line away.
func (c *console) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != "" {
		c.line = ""
		io.WriteString(c.w, clearLine)
	}
}
