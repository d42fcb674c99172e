package fault_test

import (
	"net/http"
	"testing"

	"tasker/internal/fault"
)

func TestEveryKindIsAnsweredItsOwnWay(t *testing.T) {
	want := map[fault.Kind]struct{ status, exit int }{
		fault.Internal:         {http.StatusInternalServerError, 1},
		fault.Invalid:          {http.StatusUnprocessableEntity, 2},
		fault.Declined:         {http.StatusUnprocessableEntity, 3},
		fault.NotFound:         {http.StatusNotFound, 4},
		fault.Conflict:         {http.StatusConflict, 5},
		fault.Unauthorized:     {http.StatusUnauthorized, 6},
		fault.Forbidden:        {http.StatusForbidden, 6},
		fault.MethodNotAllowed: {http.StatusMethodNotAllowed, 1},
		fault.TooLarge:         {http.StatusRequestEntityTooLarge, 2},
		fault.Unavailable:      {http.StatusServiceUnavailable, 1},
		fault.Gone:             {http.StatusGone, 4},
	}
	if len(want) != len(fault.Kinds) {
		t.Fatalf("%d kinds are looked at, of %d", len(want), len(fault.Kinds))
	}
	for _, k := range fault.Kinds {
		if got := (struct{ status, exit int }{k.Status(), k.Exit()}); got != want[k] {
			t.Errorf("%s %s is answered with %v, want %v", k.Code(), k.Reason(), got, want[k])
		}
		if back := fault.KindOf(k.Code(), k.Reason()); back != k {
			t.Errorf("%s %s is read back as %s %s", k.Code(), k.Reason(), back.Code(), back.Reason())
		}
	}
}
