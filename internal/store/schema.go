package store

import (
	"embed"
	"sync"

	"tasker/internal/db"
	"tasker/internal/store/recount"
	"tasker/internal/store/textindex"
	"tasker/internal/store/tx"
)

//go:embed migrations/*.sql
var files embed.FS

// Schema returns the migrations of this binary, oldest first.
var Schema = sync.OnceValue(func() []db.Migration {
	ms, err := db.Migrations(files)
	if err != nil {
		panic(err) // a mistake in the source tree; every test sees it
	}
	ms[searchMigration-1].After = textindex.All
	ms[partsMigration-1].After = recount.Parts
	ms[touchMigration-1].After = tx.FillTouch
	return ms
})

// The migrations that are completed in Go.
const (
	searchMigration = 4  // adds the text index, which Go fills
	partsMigration  = 10 // adds the mark of circles, which Go finds
	touchMigration  = 12 // adds where the globs of held tasks begin, which Go reads
)
