package frame

import (
	"os"
	"testing"

	"tasker/internal/fault"
)

func TestEveryKindOfErrorHasItsExitCode(t *testing.T) {
	want := map[fault.Kind]int{
		fault.Internal: 1, fault.Invalid: 2, fault.Declined: 3, fault.NotFound: 4, fault.Gone: 4, fault.Conflict: 5,
		fault.Unauthorized: 6, fault.Forbidden: 6, fault.MethodNotAllowed: 1, fault.TooLarge: 2, fault.Unavailable: 1,
	}
	for _, k := range fault.Kinds {
		code, ok := want[k]
		if got := ExitCode(fault.New(k, "x")); !ok || got != code {
			t.Errorf("kind %s/%s ends with %d, want %d (%v)", k.Code(), k.Reason(), got, code, ok)
		}
	}
	if ExitCode(nil) != 0 || ExitCode(ErrNothing) != 7 || ExitCode(os.ErrClosed) != 1 {
		t.Error("want exit codes 0 for nil, 7 for ErrNothing and 1 for other errors")
	}
}
