package store

import (
	"fmt"

	"tasker/internal/db"
	"tasker/internal/search"
)

// words compares the index with the documents that the records make.
func (c *recount) words() error {
	kept := map[int64]bool{}
	if err := c.r.c.Documents(c.p.id, func(doc int64) { kept[doc] = true }); err != nil {
		return err
	}
	var inIndex, inRecords, strange, absent search.KindCounts
	for doc := range kept {
		_, kind, _ := parts(doc)
		*inIndex.Of(kind)++
	}
	all := append(taskCorpus(c.p.id, 0, 1<<shift-1), eventCorpus(c.p.id, 0, 1<<docKind-1)...)
	err := corpus(c.r.c, all, func(d db.Doc) {
		_, kind, _ := parts(d.ID)
		*inRecords.Of(kind)++
		if kept[d.ID] {
			delete(kept, d.ID)
		} else {
			*absent.Of(kind)++
		}
	})
	if err != nil {
		return err
	}
	for doc := range kept {
		_, kind, _ := parts(doc)
		*strange.Of(kind)++
	}
	for _, k := range kinds {
		counted := fmt.Sprint(*inRecords.Of(k))
		if *absent.Of(k) > 0 || *strange.Of(k) > 0 {
			counted = fmt.Sprintf("%s, %d of them missing and %d too many", counted, *absent.Of(k), *strange.Of(k))
		}
		c.differ(nil, fmt.Sprintf("documents of kind %s that search finds", k), fmt.Sprint(*inIndex.Of(k)), counted)
	}
	return c.actors()
}

// actors compares who is kept as having written to the project with its events.
func (c *recount) actors() error {
	kept := map[string]int64{}
	if err := c.r.c.Query(`SELECT name, id FROM actor WHERE project=$1`, []any{c.p.id}, func(row db.Row) error {
		kept[row.Text(0)] = row.Int(1)
		return nil
	}); err != nil {
		return err
	}
	found, err := introduced(c.r.c, c.p.id)
	if err != nil {
		return err
	}
	for _, a := range found {
		c.differ(nil, fmt.Sprintf("the first event of actor %q", a.name), kept[a.name], a.id)
		delete(kept, a.name)
	}
	for _, name := range sortedKeys(kept) {
		c.differ(nil, fmt.Sprintf("the first event of actor %q", name), kept[name], int64(0))
	}
	return nil
}
