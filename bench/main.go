package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"tasker/internal/app"
)

// row is one comparison, or several that share their runs.
type row struct {
	name string
	do   func(context.Context, *bench) ([]*result, error)
}

// rows lists the rows of the table, in the order in which they are printed.
var rows = []row{
	{"next", next},
	{"next-default", nextDefault},
	{"next-exhausted", nextExhausted},
	{"next-touches", nextTouching},
	{"transitions", transitions},
	{"claim-size", claimSize},
	{"next-guided", nextGuided},
	{"ready", ready},
	{"scrape", scrape},
	{"apply", applying},
	{"apply-size", applySize},
	{"export-import", moving},
	{"next-during-apply", nextDuringApply},
	{"configuration", configuration},
	{"process", process},
	{"closing", closing},
	{"processes", processes},
	{"servers", servers},
	{"workspace-open", workspaceOpen},
	{"reads", reads},
	{"reads-memory", readsMemory},
	{"memory", memoryBound},
	{"pictures", pictures},
	{"layout", layouts},
	{"pan", pan},
}

// names returns the names of the rows.
func names() string {
	var out []string
	for _, r := range rows {
		out = append(out, r.name)
	}
	return strings.Join(out, ", ")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	only := flags.String("run", "", "only rows whose name this expression matches: "+names())
	which := flags.String("db", "both", "sqlite, postgres or both")
	profile := flags.String("cpuprofile", "", "write a CPU profile of the measured parts to this file")
	out := flags.String("out", "", "where the tables are written (default bench/results.md; not with -run, -quick or one database alone)")
	dir := flags.String("dir", ".cache", "a directory on the disk to measure on")
	flags.IntVar(&o.runs, "runs", 5, "how often each side of a ratio is measured, in turns")
	flags.BoolVar(&o.quick, "quick", false, "small amounts: shows that everything runs; no ratio is judged")
	if err := flags.Parse(args); err != nil {
		return err
	}
	app.GiveMemory(app.DefaultMemory) // both sides run as a server does
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	o.runs = max(o.runs, 1)
	if *out == "" && *only == "" && !o.quick && *which == "both" {
		*out = filepath.Join("bench", "results.md")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(*dir, "bench-")
	if err != nil {
		return err
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		o.profile = f
		defer pprof.StopCPUProfile()
	}
	engines, err := enginesOf(*which, scratch)
	if err != nil {
		return err
	}
	rep := &report{machine: look(scratch), options: o}
	fmt.Println(rep.machine)
	for _, e := range engines {
		b := &bench{engine: e, options: o, scratch: scratch, seeds: map[string]string{}}
		err := b.table(ctx, rep, match)
		if err := errors.Join(err, b.close(), e.close()); err != nil {
			return err
		}
	}
	if *out != "" {
		if err := os.WriteFile(*out, []byte(rep.markdown()), 0o644); err != nil {
			return err
		}
	}
	return rep.verdict()
}

// table measures every row on one database, and prints each when it is done.
func (b *bench) table(ctx context.Context, rep *report, match *regexp.Regexp) error {
	t := rep.add(b.engine.name())
	fmt.Printf("\n%s\n", b.engine.name())
	for _, r := range rows {
		if !match.MatchString(r.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		results, err := r.do(ctx, b)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.name, b.engine.name(), err)
		}
		for _, res := range results {
			if b.quick || b.engine.name() != sqliteName && !res.everywhere {
				res.bound = bound{} // only reported
			}
			t.results = append(t.results, res)
			fmt.Println(res.line())
		}
		t.took += time.Since(began)
	}
	return nil
}
