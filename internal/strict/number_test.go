package strict_test

import (
	"fmt"
	"testing"

	"tasker/internal/strict"
)

func TestWholeNumberReadsAnyWayOfWritingOne(t *testing.T) {
	for raw, want := range map[string]string{
		"0": "0", "-0": "0", "3": "3", "3.0": "3", "30e-1": "3", "0.3e1": "3", "3E+0": "3", "-2.0": "-2", "0e999999999999999999999": "0", "0.000": "0",
		"1.5": "no", "1e-1": "no", "1e-99999999999999999999": "no", "1e30": "9223372036854775807", "-1e99999999999999999999": "-9223372036854775808",
		"9223372036854775807": "9223372036854775807", "9223372036854775808": "9223372036854775807", "9007199254740993.0": "9007199254740993",
	} {
		got := "no"
		if n, ok := strict.WholeNumber([]byte(raw)); ok {
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
