package linediff

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sides returns the two texts that a difference is made of, and how many lines it changes.
func sides(a, b []string) (left, right []string, changed int) {
	Compare(a, b, func(op byte, line string) {
		if op != '+' {
			left = append(left, line)
		}
		if op != '-' {
			right = append(right, line)
		}
		if op != ' ' {
			changed++
		}
	})
	return left, right, changed
}

func TestADifferenceHoldsBothTexts(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		left, right, changed := sides(a, b)
		if !slices.Equal(left, a) || !slices.Equal(right, b) {
			t.Fatalf("%q and %q come back as %q and %q", a, b, left, right)
		}
		if (changed == 0) != slices.Equal(a, b) {
			t.Fatalf("%q and %q differ in %d lines", a, b, changed)
		}
	})
}

func TestALineThatWasPutInIsAllThatChanged(t *testing.T) {
	a := slices.Repeat([]string{"x", "y"}, 50_000) // more pairs than are compared
	b := slices.Insert(slices.Clone(a), 40_001, "new")
	left, right, changed := sides(a, b)
	if changed != 1 || !slices.Equal(left, a) || !slices.Equal(right, b) {
		t.Errorf("%d lines changed", changed)
	}
}

func TestTextsThatAreTooLongToCompareAreShownWhole(t *testing.T) {
	a, b := slices.Repeat([]string{"x", "y"}, 2_000), slices.Repeat([]string{"z", "x"}, 2_000)
	a[len(a)-1] = "end"
	left, right, changed := sides(a, b)
	if changed != len(a)+len(b) || !slices.Equal(left, a) || !slices.Equal(right, b) {
		t.Errorf("%d lines changed", changed)
	}
}

func TestChangedLinesAreShownWithWhatIsAroundThem(t *testing.T) {
	changed := func(l string) bool { return l[0] != ' ' }
	for _, c := range []struct{ all, want []string }{
		{nil, nil},
		{[]string{" a", " b"}, []string{"…"}},
		{[]string{"+a", " b", " c", " d"}, []string{"+a", " b", "…"}},
		{[]string{" a", " b", " c", "-d", " e", " f", "+g", " h", " i"}, []string{"…", " c", "-d", " e", " f", "+g", " h", "…"}},
		{[]string{"-a", " b", " c", " d", " e", "+f"}, []string{"-a", " b", "…", " e", "+f"}},
	} {
		if got := Near(c.all, changed, 1, "…"); !slices.Equal(got, c.want) {
			t.Errorf("%q becomes %q", c.all, got)
		}
	}
}
