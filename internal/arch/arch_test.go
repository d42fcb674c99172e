// Package arch_test checks the arrows of the architecture: which package may import which, each rule with its reason.
package arch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pkg is what the rules check: a package of this module and what its shipped files import.
type pkg struct {
	Dir            string
	ImportPath     string
	GoFiles        []string
	IgnoredGoFiles []string // for other systems; the rules apply to them too
	files          []file
}

type file struct {
	name    string // as in exceptions: "config/options.go"
	path    string
	imports []string
}

// name returns the package's name in the rules: the path without the module and without internal/.
func (p pkg) name() string { return short(p.ImportPath) }

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module+"/"), "internal/")
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	for _, fault := range check(load(t)) {
		t.Error(fault)
	}
}

func TestEveryBrokenRuleIsFound(t *testing.T) {
	for _, c := range []struct {
		name string
		pkg  pkg
		want string // "" if it is allowed
	}{
		{"down is fine", in("internal/core", "tasker/internal/task", "context"), ""},
		{"up is not", in("internal/task", "tasker/internal/core"), "task imports core"},
		{"fault is at the bottom", in("internal/fault", "tasker/internal/task"), "fault imports task"},
		{"faces are blind to one another", in("internal/cli", "tasker/internal/server/httpapi"), "cli imports server/httpapi"},
		{"faces know no store", in("internal/server/httpapi", "tasker/internal/store"), "server/httpapi imports store"},
		{"the store does not know core", in("internal/store", "tasker/internal/core"), "store imports core"},
		{"a feature calls its service", in("internal/workspace/machine", "tasker/internal/workspace"), ""},
		{"and not the table of operations", in("internal/workspace/machine", "tasker/internal/op"), "workspace/machine imports op"},
		{"nor does a sync", in("internal/sync/syncer", "tasker/internal/op"), "sync/syncer imports op"},
		{"nor a worker's loop", in("internal/agent/run", "tasker/internal/op"), "agent/run imports op"},
		{"an engine knows db", in("internal/db/sqlite", "tasker/internal/db"), ""},
		{"an engine does not know the store", in("internal/db/sqlite", "tasker/internal/store"), "db/sqlite imports store"},
		{"and not the other engine", in("internal/db/sqlite", "tasker/internal/db/postgres"), "db/sqlite imports db/postgres"},
		{"a member of a family knows its head", in("internal/workspace/env/vault", "tasker/internal/workspace/env/provider"), ""},
		{"and no other member", in("internal/workspace/env/vault", "tasker/internal/workspace/env/exec"), "workspace/env/vault imports workspace/env/exec"},
		{"app knows them all", in("internal/app", "tasker/internal/workspace/env/vault", "tasker/internal/db/sqlite"), ""},
		{"main is thin", in("cmd/tasker", "tasker/internal/core"), "cmd/tasker imports core"},
		{"a package must have its place", in("internal/util"), "util has no place"},
		{"also below one that has", in("internal/core/deep"), "core/deep has no place"},
		{"what is shipped imports no test database", in("internal/app", "tasker/internal/testkit/dbtest"), "app imports testkit/dbtest"},
		{"benchmarks import anything", in("bench", "tasker/internal/app", "tasker/internal/testkit/dbtest"), ""},
		{"the domain does no input or output", in("internal/task", "os"), "task imports os"},
		{"but for the one file that says why", in("internal/config", "os"), ""},
		{"and what it gives as its reason", in("internal/config", "net/http"), "config imports net/http"},
		{"nor through a package below a banned one", in("internal/plan", "math/rand/v2"), "plan imports math/rand/v2"},
		{"a path that only begins alike is another", in("internal/plan", "net/url", "osmosis"), ""},
		{"core rolls no dice", in("internal/core", "math/rand/v2"), "core imports math/rand/v2"},
		{"an operation does not know HTTP", in("internal/core", "net/http"), "core imports net/http"},
		{"the table names its methods and statuses", in("internal/op", "net/http"), ""},
		{"a driver has one home", in("internal/store", "github.com/jackc/pgx/v5"), "store imports github.com/jackc/pgx/v5"},
		{"and is welcome there", in("internal/db/postgres", "github.com/jackc/pgx/v5/pgxpool"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := check([]pkg{c.pkg})
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("refused: %v", got)
			case c.want != "" && (len(got) == 0 || !strings.HasPrefix(got[0], c.want)):
				t.Errorf("check = %q, want a fault that begins with %q", got, c.want)
			}
		})
	}
}

func TestEveryRuleSaysWhy(t *testing.T) {
	for _, r := range rules {
		if r.why == "" {
			t.Errorf("the rule of %s has no reason", r.pkg)
		}
	}
	for _, b := range bans {
		if b.why == "" {
			t.Errorf("the ban of %v has no reason", b.imports)
		}
	}
	for _, e := range exceptions {
		if e.why == "" {
			t.Errorf("the exception of %s has no reason", e.file)
		}
	}
	for _, h := range homes {
		if h.why == "" {
			t.Errorf("the home of %s has no reason", h.path)
		}
	}
}

func in(path string, imports ...string) pkg {
	p := pkg{ImportPath: module + "/" + path}
	p.files = []file{{name: p.name() + "/options.go", imports: imports}}
	return p
}

// check returns every arrow that breaks the rules, in the order of the packages.
func check(pkgs []pkg) []string {
	var faults []string
	for _, p := range pkgs {
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, p.name()) })
		if i < 0 {
			faults = append(faults, fmt.Sprintf("%s has no place in the architecture: give it a rule, with its reason, in rules_test.go", p.name()))
			continue
		}
		for _, f := range p.files {
			for _, path := range f.imports {
				if why := p.forbidden(rules[i], f, path); why != "" {
					faults = append(faults, fmt.Sprintf("%s imports %s, and may not: %s (in %s)", p.name(), short(path), why, f.name))
				}
			}
		}
	}
	return faults
}

// forbidden returns the reason why a file of p may not import the path, or "" if it may.
func (p pkg) forbidden(r rule, f file, path string) string {
	if own, ok := strings.CutPrefix(path, module+"/"); ok {
		if !covered(r.may, short(own)) {
			return r.why
		}
		if covered(testOnly, short(own)) && !covered(testOnly, p.name()) {
			return "it is for tests"
		}
		return ""
	}
	for _, b := range bans {
		if covered(b.from, p.name()) && covered(b.imports, path) && !covered(exceptionOf(f).imports, path) {
			return b.why
		}
	}
	for _, h := range homes {
		if below(h.path, path) && !covered(h.in, p.name()) && !covered([]string{"bench/...", "test/..."}, p.name()) {
			return fmt.Sprintf("%s (it belongs in %s)", h.why, strings.Join(h.in, ", "))
		}
	}
	return ""
}

// exceptionOf returns the exception of a file, or one that allows nothing.
func exceptionOf(f file) exception {
	if i := slices.IndexFunc(exceptions, func(e exception) bool { return e.file == f.name }); i >= 0 {
		return exceptions[i]
	}
	return exception{}
}

// covered reports whether any of the patterns matches the package.
func covered(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) })
}

// matches reports whether a pattern of the rules, "store" or "workspace/env/...", covers the package.
func matches(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	if family, ok := strings.CutSuffix(pattern, "/..."); ok {
		return below(family, name)
	}
	return pattern == name
}

// below reports whether path is base or inside it.
func below(base, path string) bool {
	return path == base || strings.HasPrefix(path, base+"/")
}

// load lists the packages of the module with what their shipped files import.
func load(t *testing.T) []pkg {
	t.Helper()
	lookAround(t)
	// -e: a package that does not compile fails its own tests; its imports are read anyway.
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=Dir,ImportPath,GoFiles,IgnoredGoFiles", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if !strings.HasSuffix(name, "_test.go") {
				p.files = append(p.files, read(t, p, name))
			}
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 2 {
		t.Fatalf("go list found %d packages, which cannot be all of them", len(pkgs))
	}
	return pkgs
}

func read(t *testing.T, p pkg, name string) file {
	t.Helper()
	f := file{name: p.name() + "/" + name, path: filepath.Join(p.Dir, name)}
	parsed, err := parser.ParseFile(token.NewFileSet(), f.path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		f.imports = append(f.imports, path)
	}
	return f
}

// lookAround opens every directory of the module. `go test` caches the result of a test until something that the test
// itself has opened changes, and would not notice a new package that only `go list` reads.
func lookAround(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
