package store

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"tasker/internal/db"
)

//go:embed migrations/*.sql
var files embed.FS

// Schema returns the migrations of this binary, oldest first.
var Schema = sync.OnceValue(func() []db.Migration {
	ms, err := db.Migrations(files)
	if err != nil {
		panic(err) // a mistake in the source tree; every test sees it
	}
	for name, after := range completed {
		at := slices.IndexFunc(ms, func(m db.Migration) bool { return strings.HasSuffix(m.Name, "_"+name+".sql") })
		ms[at].After = after
	}
	return ms
})

// SchemaFor is Schema with the notices of its migrations. declares reports whether a file of this process declares a human for a
// project, which the database need not know; nil if there is no file.
func SchemaFor(declares func(slug string) bool) []db.Migration {
	ms := slices.Clone(Schema())
	for name, notice := range notices {
		at := slices.IndexFunc(ms, func(m db.Migration) bool { return strings.HasSuffix(m.Name, "_"+name+".sql") })
		ms[at].Tells = func(c db.Conn) (string, error) { return noticeTo(c, declares, notice) }
	}
	return ms
}

// completed are the migrations that Go code completes, by name: it fills the text index, marks circles, and stores
// where the globs of held tasks begin.
var completed = map[string]func(db.Conn) error{"search": buildIndexes, "parts": fillParts, "touch": FillTouch}
