package linkdb

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/links/merge"
	"tasker/internal/store"
)

// Fares returns the state of the links of every project that have been contacted, from a few counts
// over all of them.
func Fares(tx *store.Tx) (out []merge.Fare, err error) {
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	at := map[int64]int{} // index of the fare of a project's tracker
	err = tx.C.Query(`SELECT project, system, detail FROM linked WHERE system IN ('issue_tracker','code_host') ORDER BY project, system`, nil,
		db.Scan3(func(project int64, system string, detail []byte) error {
			if tx.Hides(slugs[project]) {
				return nil
			}
			f := merge.Fare{Project: slugs[project], System: system}
			err := json.Unmarshal(detail, &f.Health)
			if system == merge.IssueTracker {
				at[project] = len(out)
			}
			out = append(out, f)
			return err
		}))
	if err != nil || len(at) == 0 {
		return out, err
	}
	count := func(sql string, each func(f *merge.Fare, state string, n int64)) error {
		return tx.C.Query(sql, nil, db.Scan3(func(project int64, state string, n int64) error {
			if i, ok := at[project]; ok {
				each(&out[i], state, n)
			}
			return nil
		}))
	}
	err = count(`SELECT project, state, COUNT(*) FROM outbound GROUP BY project, state`, func(f *merge.Fare, state string, n int64) {
		if merge.WriteState(state) == merge.Failed {
			f.Failed = n
		} else {
			f.Pending = n
		}
	})
	if err != nil {
		return nil, err
	}
	return out, count(`SELECT project, state, COUNT(*) FROM conflict WHERE state='open' GROUP BY project, state`,
		func(f *merge.Fare, _ string, n int64) { f.Conflicts = n })
}
