package linkdb

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task/merge"
)

// Fares returns the state of the links of every project that have been contacted, from a few counts
// over all of them.
func Fares(tx *store.Tx) (out []merge.Fare, err error) {
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	pending, err := db.Pairs[int64, int64](tx.C, `SELECT project, COUNT(*) FROM outbound WHERE state='pending' GROUP BY project`)
	if err != nil {
		return nil, err
	}
	failed, err := db.Pairs[int64, int64](tx.C, `SELECT project, COUNT(*) FROM outbound WHERE state='failed' GROUP BY project`)
	if err != nil {
		return nil, err
	}
	conflicts, err := db.Pairs[int64, int64](tx.C, `SELECT project, COUNT(*) FROM conflict WHERE state='open' GROUP BY project`)
	if err != nil {
		return nil, err
	}
	err = tx.C.Query(`SELECT project, system, detail FROM linked WHERE system IN ('issue_tracker','code_host') ORDER BY project, system`, nil,
		db.Scan3(func(project int64, system string, detail []byte) error {
			if tx.Hides(slugs[project]) {
				return nil
			}
			f := merge.Fare{Project: slugs[project], System: system}
			err := json.Unmarshal(detail, &f.Health)
			if system == merge.IssueTracker {
				f.Pending, f.Failed, f.Conflicts = pending[project], failed[project], conflicts[project]
			}
			out = append(out, f)
			return err
		}))
	return out, err
}
