package app

import (
	"os"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// The address of another kind of database is refused without showing its password, and no file is created.
func TestAnAddressIsNoPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, at := range []string{"mysql://u:hunter2@h/db", "POSTGRESS://u:hunter2@h/db", "https://u:hunter2@h"} {
		_, err := engineOf(at, db.Setup{})
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := engineOf("Postgres://u:hunter2@h/db", db.Setup{}); err != nil {
		t.Errorf("capital letters in the scheme: %v", err)
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Errorf("files were made: %v, %v", made, err)
	}
}
