package config

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/config/format"
	"tasker/internal/fault"
)

// memFiles is a file system in memory. A name that ends in a slash is a directory.
type memFiles map[string]memFile

type memFile struct {
	text string
	mod  time.Time
}

func (m memFiles) Stat(name string) (fs.FileInfo, error) {
	if f, ok := m[name]; ok {
		return memInfo{name: name, size: int64(len(f.text)), mod: f.mod}, nil
	}
	if _, ok := m[name+"/"]; ok {
		return memInfo{name: name, dir: true}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

func (m memFiles) ReadFile(name string) ([]byte, error) {
	if f, ok := m[name]; ok {
		return []byte(f.text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type memInfo struct {
	name string
	size int64
	mod  time.Time
	dir  bool
}

func (i memInfo) Name() string { return filepath.Base(i.name) }
func (i memInfo) Size() int64  { return i.size }
func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir
	}
	return 0
}
func (i memInfo) ModTime() time.Time { return i.mod }
func (i memInfo) IsDir() bool        { return i.dir }
func (i memInfo) Sys() any           { return nil }

const (
	filePath  = "/repo/.tasker.json"
	localPath = "/repo/.tasker.local.json"
)

// with returns options that see these files from /repo.
func with(files map[string]string, env map[string]string, flags ...Flag) Options {
	mem := memFiles{}
	for name, text := range files {
		mem[name] = memFile{text: text}
	}
	return Options{Dir: "/repo", Files: mem, Env: func(k string) string { return env[k] }, Flags: flags}
}

// one returns options that see a single configuration file.
func one(text string) Options { return with(map[string]string{filePath: text}, nil) }

// mustFor loads the files and returns the effective configuration of the chosen project.
func mustFor(t testing.TB, o Options, db string) *Effective {
	t.Helper()
	l, err := Load(o)
	if err != nil {
		t.Fatalf("load: %s\n%s", err, strings.Join(fault.Of(err).Missing, "\n"))
	}
	e, err := l.For("", []byte(db))
	if err != nil {
		t.Fatalf("for: %s", err)
	}
	return e
}

// refusal loads files that must be refused as invalid, and returns the refusal.
func refusal(t testing.TB, o Options) *fault.Error {
	t.Helper()
	_, err := Load(o)
	if err == nil {
		t.Fatal("the configuration was accepted")
	}
	if !fault.Is(err, fault.Invalid) {
		t.Fatalf("kind of the refusal: %v", err)
	}
	return fault.Of(err)
}

// faultsOf returns the faults of one file.
func faultsOf(t testing.TB, text string) []format.Fault {
	t.Helper()
	r, err := Validate(one(text), filePath)
	if err != nil {
		t.Fatal(err)
	}
	return r.Faults
}

// place builds a document in which the key (in the notation of Keys) has the value, and every required key around it
// has some valid value.
func place(key, value string) string {
	segments := strings.Split(strings.ReplaceAll(key, "[]", ".[]"), ".")
	return placeIn(&format.Root, segments, value)
}

func placeIn(k *format.Key, segments []string, value string) string {
	if len(segments) == 0 {
		return value
	}
	head, rest := segments[0], segments[1:]
	switch head {
	case "[]":
		return "[" + placeIn(k.Elem, rest, value) + "]"
	case "<name>":
		return `{"some": ` + placeIn(k.Elem, rest, value) + "}"
	}
	var parts []string
	for _, sub := range k.Keys {
		if sub.Required && sub.Name != head {
			parts = append(parts, `"`+sub.Name+`": `+sample(sub))
		}
	}
	var inner string
	if sub := k.Key(head); sub != nil {
		inner = placeIn(sub, rest, value)
	} else {
		inner = value // a name that is not declared
	}
	return "{" + strings.Join(append(parts, `"`+head+`": `+inner), ", ") + "}"
}

// sample returns a valid value of a key.
func sample(k *format.Key) string {
	switch {
	case k.Enum != nil:
		return `"` + k.Enum[0] + `"`
	case k.Name == "range":
		return "[4000, 4099]"
	case k.Type == format.Number:
		return "1"
	default:
		return `"demo"`
	}
}
