// Command dist makes the release files of tasker. The same commit and the same Go give the same
// bytes. See `make dist`, `make man` and `make changelog`.
//
//	dist all VERSION DIRECTORY [OS/ARCH...]   everything, for all platforms or for these
//	dist man VERSION DIRECTORY                the manual
//	dist changelog FILE                       the changelog of released versions, from the directory changelog
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "all":
		date, err := date()
		if err != nil {
			return err
		}
		r := &release{version: cmp.Or(args[1], app.Version), date: date, dir: args[2]}
		return r.make(args[3:])
	case len(args) == 3 && args[0] == "man":
		date, err := date()
		if err != nil {
			return err
		}
		return writeMan(cmp.Or(args[1], app.Version), date, args[2])
	case len(args) == 2 && args[0] == "changelog":
		text, err := changelog("changelog")
		if err != nil {
			return err
		}
		return write(args[1], []byte(text))
	}
	return errors.New("usage: dist all VERSION DIRECTORY [OS/ARCH...] | dist man VERSION DIRECTORY | dist changelog FILE")
}

// date returns the time of the release: that of the commit, or SOURCE_DATE_EPOCH, never that of the
// build.
func date() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.CommandContext(context.Background(), "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("asking git for the date of the commit (or set SOURCE_DATE_EPOCH): %w", err)
		}
		text = string(out)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// writeMan writes the manual into a directory.
func writeMan(version string, date time.Time, dir string) error {
	for _, p := range cli.ManPages(version, date.Format(time.DateOnly)) {
		if err := write(filepath.Join(dir, p.Name), []byte(p.Text)); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file that everybody may read, and creates its directories.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a release is for everybody
		return err
	}
	return os.WriteFile(path, content, 0o644) //nolint:gosec // the same
}
