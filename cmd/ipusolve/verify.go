package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
	"ipusolve/solve/cert"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check the claims of a file again",
		ArgsUsage: "OUT.ipuexe|REPORT.json|SCHEDULE.json|CERTIFICATE",
		Description: "Proofs, placement and exchange rows are checked by code of their own; prices and lowering are computed anew.\n" +
			"What no file can show, such as the search's statistics, is listed with -.\n\n" +
			"Exit code 5: a claim does not hold; a package that was truncated or changed is one.\n\n" +
			"Example:\n  ipusolve verify mlp.ipuexe",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "snapshot", Usage: "check a schedule against the `SNAPSHOT.json` it was made from"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: verify,
	}
}

func verify(c *cli.Context) error {
	path, err := argument(c, "a package, report, schedule or certificate")
	if err != nil {
		return err
	}
	claims, err := claimsOf(path, c.String("snapshot"))
	if err != nil {
		return err
	}
	failed, unchecked := 0, 0
	for i := range claims {
		if claims[i].Failed() {
			failed++
		} else if claims[i].Unchecked {
			unchecked++
		}
	}
	if c.Bool("json") {
		if err := writeJSON(c.App.Writer, map[string]any{"file": path, "failed": failed, "unchecked": unchecked, "claims": claims}); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, "claim\tresult\tclaimed\tderived\n")
		for i := range claims {
			x := &claims[i]
			result, derived := "ok", x.Derived
			switch {
			case x.Failed():
				result, derived = "FAILED", x.Reason
			case x.Unchecked:
				result, derived = "-", "not checked: "+x.Reason
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.Name, result, x.Claimed, derived)
		}
		fmt.Fprintf(w, "\n%d claims, %d failed, %d not checked\n", len(claims), failed, unchecked)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if err := ipusolve.FirstFailure(claims); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// claimsOf reads a file by what it holds and checks it.
func claimsOf(path, snapshot string) ([]ipusolve.Claim, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	at := func(err error) error { return fmt.Errorf("%s: %w", path, err) }
	kind, schema := kindOf(content), ""
	if kind == jsonFile {
		var head struct {
			Schema string `json:"schema"`
		}
		if err := json.Unmarshal(content, &head); err != nil {
			return nil, at(err)
		}
		schema = head.Schema
	}
	if snapshot != "" && schema != ipusolve.ScheduleSchema {
		return nil, usageError("verify: --snapshot is for schedules, %s is none", path)
	}
	switch {
	case kind == packageFile:
		app, err := ipuexe.Read(content)
		if err != nil {
			return []ipusolve.Claim{{Name: "package", Claimed: "digest and structure", Reason: err.Error()}}, nil
		}
		return ipusolve.VerifyPackage(app), nil
	case kind == certificateFile:
		m, proof, err := cert.Read(bytes.NewReader(content))
		if err != nil {
			return nil, at(err)
		}
		return ipusolve.VerifyCertificate(m, proof), nil
	case schema == ipusolve.ReportSchema:
		r, err := ipusolve.ReadReport(bytes.NewReader(content))
		if err != nil {
			return nil, at(err)
		}
		return ipusolve.VerifyReport(r), nil
	case schema == ipusolve.ScheduleSchema:
		f, err := ipusolve.ReadSchedule(bytes.NewReader(content))
		if err != nil {
			return nil, at(err)
		}
		var snap *exchange.Snapshot
		if snapshot != "" {
			if snap, err = readFile(snapshot, exchange.ReadSnapshot); err != nil {
				return nil, err
			}
		}
		return ipusolve.VerifySchedule(f, snap), nil
	}
	return nil, at(fmt.Errorf("schema: want %q or %q, found %q", ipusolve.ReportSchema, ipusolve.ScheduleSchema, schema))
}
