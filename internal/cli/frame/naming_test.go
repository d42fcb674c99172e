package frame

import "testing"

func TestWhatLooksLikeAnID(t *testing.T) {
	for s, want := range map[string]bool{
		"demo-1": true, "a-b-12": true, "0-1": true, "demo": false, "demo-": false, "demo-0": false, "demo-01": false,
		"-1": false, "Demo-1": true, "a.b_c-1": true, "demo-1x": false, "demo 1": false, "": false,
	} {
		if LooksLikeID(s) != want {
			t.Errorf("LooksLikeID(%q) is not %v", s, want)
		}
	}
}
