package textindex

import (
	"fmt"
	"slices"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
)

// Recount compares the index of a project, and its actors, with the records. It calls differ with every pair of
// values.
func Recount(c db.Conn, project int64, differ func(what string, stored, counted any)) error {
	var stored []int64
	if err := c.Documents(project, func(doc int64) { stored = append(stored, doc) }); err != nil {
		return err
	}
	slices.Sort(stored)
	stored = slices.Compact(stored)
	found := make([]bool, len(stored))
	var inIndex, inRecords, strange, absent search.KindCounts
	for _, doc := range stored {
		_, kind, _ := parts(doc)
		*inIndex.Of(kind)++
	}
	all := append(taskCorpus(project, 0, rows.MaxNumber), eventCorpus(project, 0, 1<<docKind-1)...)
	err := corpus(c, all, func(d db.Doc) {
		_, kind, _ := parts(d.ID)
		*inRecords.Of(kind)++
		if i, ok := slices.BinarySearch(stored, d.ID); ok && !found[i] {
			found[i] = true
		} else {
			*absent.Of(kind)++
		}
	})
	if err != nil {
		return err
	}
	for i, doc := range stored {
		if _, kind, _ := parts(doc); !found[i] {
			*strange.Of(kind)++
		}
	}
	for _, k := range kinds {
		counted := fmt.Sprint(*inRecords.Of(k))
		if *absent.Of(k) > 0 || *strange.Of(k) > 0 {
			counted = fmt.Sprintf("%s, %d of them missing and %d too many", counted, *absent.Of(k), *strange.Of(k))
		}
		differ(fmt.Sprintf("documents of kind %s that search finds", k), fmt.Sprint(*inIndex.Of(k)), counted)
	}
	return recountActors(c, project, differ)
}

// recountActors compares the stored actors of a project with its events.
func recountActors(c db.Conn, project int64, differ func(what string, stored, counted any)) error {
	stored := map[string]int64{}
	if err := c.Query(`SELECT name, id FROM actor WHERE project=$1`, []any{project}, db.Scan2(func(name string, event int64) error {
		stored[name] = event
		return nil
	})); err != nil {
		return err
	}
	found, err := introduced(c, project)
	if err != nil {
		return err
	}
	for _, a := range found {
		differ(fmt.Sprintf("the first event of actor %q", a.name), stored[a.name], a.id)
		delete(stored, a.name)
	}
	for _, name := range sortedKeys(stored) {
		differ(fmt.Sprintf("the first event of actor %q", name), stored[name], int64(0))
	}
	return nil
}
