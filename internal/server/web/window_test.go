package web

import (
	"testing"

	"tasker/internal/fault"
)

func TestAWindowIsFourWholeNumbers(t *testing.T) {
	for _, bad := range []string{"1,2,3", "1,2,3,x", "-1,0,10,10", "0,0,0,10", "0,0,10,99999999999", "0,0,5,5,5", ","} {
		if v, err := windowOf(bad); v != nil || fault.Of(err).Kind != fault.Invalid {
			t.Errorf("the window %s is read as %v, %v", bad, v, err)
		}
	}
	if v, err := windowOf("10,20,300,400"); err != nil || *v != (window{10, 20, 300, 400}) {
		t.Errorf("a window is read as %v, %v", v, err)
	}
}
