package main

import "testing"

// The rows are measured only on request, and would rot in between. A few that share their seeds run here, with
// small amounts; their results are not checked.
func TestQuickRowsRunToTheEnd(t *testing.T) {
	const rows = "^(claim-size|apply-size|ready|scrape|transitions|configuration)$"
	if err := run([]string{"-quick", "-runs", "1", "-db", "sqlite", "-dir", t.TempDir(), "-run", rows}); err != nil {
		t.Fatal(err)
	}
}
