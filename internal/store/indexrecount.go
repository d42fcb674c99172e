package store

import (
	"fmt"
	"slices"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
)

// IndexMend repairs one document, or one actor, in a turn.
type IndexMend func(*Tx) error

// RecountIndex compares the index of a project, and its actors, with the records. It calls differ with every pair of values
// that differ, and with what repairs them. Actors come first, because they are documents too.
func RecountIndex(c db.Conn, project int64, differ func(what string, stored, counted any, mends []IndexMend)) error {
	if err := recountActors(c, project, differ); err != nil {
		return err
	}
	var stored []int64
	if err := c.Documents(project, func(doc int64) { stored = append(stored, doc) }); err != nil {
		return err
	}
	slices.Sort(stored)
	stored = slices.Compact(stored)
	found := make([]bool, len(stored))
	var inIndex, inRecords, strange, absent search.KindCounts
	wrong := map[search.Kind][]IndexMend{}
	for _, doc := range stored {
		_, kind, _ := docParts(doc)
		*inIndex.Of(kind)++
	}
	all := append(taskCorpus(project, 0, rows.MaxNumber), eventCorpus(project, 0, 1<<docKind-1)...)
	err := corpus(c, all, func(d db.Doc) {
		_, kind, _ := docParts(d.ID)
		*inRecords.Of(kind)++
		if i, ok := slices.BinarySearch(stored, d.ID); ok && !found[i] {
			found[i] = true
		} else {
			*absent.Of(kind)++
			wrong[kind] = append(wrong[kind], renewing(d.ID))
		}
	})
	if err != nil {
		return err
	}
	for i, doc := range stored {
		if _, kind, _ := docParts(doc); !found[i] {
			*strange.Of(kind)++
			wrong[kind] = append(wrong[kind], renewing(doc))
		}
	}
	for _, k := range docKinds {
		counted := fmt.Sprint(*inRecords.Of(k))
		if *absent.Of(k) > 0 || *strange.Of(k) > 0 {
			counted = fmt.Sprintf("%s, %d of them missing and %d too many", counted, *absent.Of(k), *strange.Of(k))
		}
		differ(fmt.Sprintf("documents of kind %s that search finds", k), fmt.Sprint(*inIndex.Of(k)), counted, wrong[k])
	}
	return nil
}

// recountActors compares the stored actors of a project with its events.
func recountActors(c db.Conn, project int64, differ func(what string, stored, counted any, mends []IndexMend)) error {
	stored, err := db.Pairs[string, int64](c, `SELECT name, id FROM actor WHERE project=$1`, project)
	if err != nil {
		return err
	}
	found, err := introduced(c, project)
	if err != nil {
		return err
	}
	for _, a := range found {
		differ(fmt.Sprintf("the first event of actor %q", a.name), stored[a.name], a.id, []IndexMend{introducing(project, a)})
		delete(stored, a.name)
	}
	for _, name := range sortedKeys(stored) {
		differ(fmt.Sprintf("the first event of actor %q", name), stored[name], int64(0), []IndexMend{introducing(project, firstAct{name: name})})
	}
	return nil
}

// renewing returns an IndexMend that indexes a document again from its record at that time, or removes it if there is no
// record.
func renewing(id int64) IndexMend {
	return func(tx *Tx) error {
		project, kind, record := docParts(id)
		now := db.Doc{ID: id}
		err := corpus(tx.C, sourcesOf(project, kind, record), func(d db.Doc) {
			if d.ID == id {
				now = d
			}
		})
		tx.putDoc(now)
		return err
	}
}

// introducing returns an IndexMend that stores an actor with its first event, which stays the first whatever is written
// later. Without an event it removes the actor.
func introducing(project int64, a firstAct) IndexMend {
	return func(tx *Tx) error {
		tx.Exec(db.Any, `DELETE FROM actor WHERE id=$3 OR (project=$1 AND name=$2)`, project, a.name, a.id)
		if a.id != 0 {
			tx.Exec(1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, a.id, project, a.name, int64(a.at))
		}
		return nil
	}
}
