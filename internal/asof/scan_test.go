package asof_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tasker/internal/store"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

// A search for part of a text looks at a limited number of tasks for a page, and says where to continue. It still finds
// every changed task, each once.
func TestASearchThatGoesOnFindsWhatWasOtherwise(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		var defs []string
		for i := range query.MaxScanned + 10 {
			title := "Hay"
			if i%4000 == 1 {
				title = "Needle"
			}
			defs = append(defs, fmt.Sprintf(`{"key": "k%d", "title": %q}`, i, title))
		}
		k.Tasks(strings.Join(defs, ","))
		var then int64
		k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error { then = tx.LastEvent(); return nil }))
		for i := range 5 {
			k.Edit(coretest.Ann, fmt.Sprintf("demo-%d", i*4000+2), `{"title": "Found"}`)
		}
		pages := map[string]int{"": 2}
		if os.Getenv("TASKER_TEST_LONG") != "" {
			pages["title"] = 10 // each page sorts all of them, twenty times
		}
		for sort, limit := range pages {
			found, cursor := []string{}, ""
			for range 20 {
				list, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Q: "needle", At: &then, Limit: &limit, Cursor: cursor, Sort: sort})
				k.Must(err)
				for _, t := range list.Tasks {
					found = append(found, string(t.ID))
				}
				if cursor = string(list.NextCursor); cursor == "" {
					break
				}
			}
			coretest.EqualSlices(k, "found by "+sort, found, "demo-2", "demo-4002", "demo-8002", "demo-12002", "demo-16002", "demo-20002")
		}
	})
}
