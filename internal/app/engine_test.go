package app_test

import (
	"os"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/fault"
)

// The address of another kind of database is refused without showing its password, and no file is created.
func TestAnAddressIsNoPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, at := range []string{"mysql://u:hunter2@h/db", "POSTGRESS://u:hunter2@h/db", "https://u:hunter2@h"} {
		_, err := app.Open(app.Options{DB: at})
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if a, err := app.Open(app.Options{DB: "Postgres://u:hunter2@h/db"}); err != nil {
		t.Errorf("capital letters in the scheme: %v", err)
	} else if err := a.Close(); err != nil {
		t.Error(err)
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Errorf("files were made: %v, %v", made, err)
	}
}
