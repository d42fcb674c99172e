package settings

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// place is a directory with a configuration file, and a database that commands there use.
type place struct {
	*testing.T
	dir, db, state string
	env            map[string]string // variables beside TASKER_DB and TASKER_ACTOR

	theirs func(title string) // renames the issue of the started tracker
}

func settle(t *testing.T, file string) *place {
	t.Helper()
	p := &place{T: t, dir: t.TempDir(), state: t.TempDir(), db: dbtest.SQLite(t)}
	storetest.Prepare(t, p.db)
	p.write(config.FileName, file)
	return p
}

func (p *place) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// step runs one line of an effect and returns the output, with the exit code or status first.
func (p *place) step(line string) string {
	p.Helper()
	words := strings.Fields(line)
	switch words[0] {
	case "write":
		p.write(words[1], words[2])
		return ""
	case "git":
		p.git(words[1:]...)
		return ""
	case "commit": // everything there is, in a new repository
		p.git("init", "--quiet", "--initial-branch=main")
		p.git("add", ".")
		p.git("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "first")
		return ""
	case "tracker":
		p.tracker()
		return ""
	case "theirs":
		p.theirs(words[1])
		return ""
	case "host":
		p.host()
		return ""
	case "get":
		return p.get(words[1])
	case "-":
		words[0] = ""
	}
	return p.run(words[0], "", words[1:]...)
}

func (p *place) git(args ...string) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), "git", args...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// run runs a command in this process.
func (p *place) run(actor, stdin string, args ...string) string {
	p.Helper()
	var out, err bytes.Buffer
	wiring := app.CommandLine()
	wiring.StateDir = func() string { return p.state }
	code := cli.Main(frame.Process{
		Args: args, Dir: p.dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		Env: func(name string) (string, bool) {
			v := map[string]string{"TASKER_DB": p.db, "TASKER_ACTOR": actor}[name]
			if v == "" {
				v = p.env[name]
			}
			return v, v != ""
		},
		Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" }, Environ: os.Environ,
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, wiring)
	return fmt.Sprintf("%d %s%s", code, out.String(), err.String())
}

// get calls a server that runs here.
func (p *place) get(path string) string {
	p.Helper()
	site, err := app.NewSite(p.Context(), p.serving())
	if err != nil {
		p.Fatal(err)
	}
	defer func() {
		if err := site.Close(); err != nil {
			p.Error(err)
		}
	}()
	r := httptest.NewRequestWithContext(p.Context(), "GET", path, nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, w.Body)
}

func (p *place) serving() frame.Serving {
	p.Helper()
	o, err := config.FromOS()
	if err != nil {
		p.Fatal(err)
	}
	return frame.Serving{
		DB: p.db, Log: p.Output(), Options: config.Options{Dir: p.dir, Files: o.Files, Now: time.Now},
		Named: frame.Named{Actor: "claude", How: "TASKER_ACTOR", User: "me"},
	}
}
