package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"ipusolve"
	"ipusolve/device/ipuexe"
	"ipusolve/model"
)

// loaded is a package with the records inside it.
type loaded struct {
	path   string
	app    *ipuexe.Application
	plan   *model.Plan
	report *ipusolve.Report
}

// loadPackage reads a package and its records.
func loadPackage(path string) (*loaded, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &loaded{path: path}
	if l.app, err = ipuexe.Read(content); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if l.plan, err = model.ReadPlan(strings.NewReader(l.app.PlanJSON)); err != nil {
		return nil, fmt.Errorf("%s: planJson: %w", path, err)
	}
	if l.report, err = ipusolve.ReadReport(strings.NewReader(l.app.ReportJSON)); err != nil {
		return nil, fmt.Errorf("%s: reportJson: %w", path, err)
	}
	return l, nil
}

// fileKind tells what a file holds by its first bytes.
type fileKind int

const (
	packageFile fileKind = iota
	jsonFile
	certificateFile
)

func kindOf(content []byte) fileKind {
	text := bytes.TrimLeft(content[:min(len(content), 64)], " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("ipusolve-certificate")):
		return certificateFile
	case bytes.HasPrefix(text, []byte("{")) && !isFrame(content):
		return jsonFile
	}
	return packageFile
}

// isFrame tells a segment table whose first byte happens to be a brace from
// text: its count has zero bytes.
func isFrame(content []byte) bool {
	return len(content) >= 4 && binary.LittleEndian.Uint32(content)>>16 == 0
}

// loadReport reads the report of a package or a report file.
func loadReport(path string) (*ipusolve.Report, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if kindOf(content) == packageFile {
		l, err := loadPackage(path)
		if err != nil {
			return nil, err
		}
		return l.report, nil
	}
	r, err := ipusolve.ReadReport(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
