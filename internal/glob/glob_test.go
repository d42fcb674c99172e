package glob_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"tasker/internal/glob"
)

// overlap compares two sets with a budget of their own.
func overlap(a, b []string) (why string, ok bool) {
	return glob.NewBudget(1<<30).Overlap(context.Background(), glob.New(a), glob.New(b))
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		ok   bool
	}{
		{"a.go", "a.go", true},
		{"a.go", "b.go", false},
		{"src/a.go", "src/*.go", true},
		{"src/a.go", "*.go", false},
		{"src/a.go", "**/*.go", true},
		{"a.go", "**/*.go", true},
		{"src/**", "src/a/b/c", true},
		{"src/**", "src", true},
		{"src/**", "srcs/a", false},
		{"src/**", "lib/**", false},
		{"**", "anything/at/all", true},
		{"src/**/test.go", "src/test.go", true},
		{"src/**/test.go", "src/a/b/test.go", true},
		{"src/**/test.go", "src/atest.go", false},
		{"src/**/a/*.go", "src/b/**/c.go", true},
		{"src/*/a", "src/b/*", true},
		{"src/*/a", "src/*/b", false},
		{"src/*", "src/*/b", false},
		{"*.go", "*.ts", false},
		{"a*", "*b", true},
		{"a*c", "b*c", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"a?c", "a/c", false},
		{"a*c", "a/c", false},
		{"[ab].go", "[bc].go", true},
		{"[ab].go", "[cd].go", false},
		{"[!a-z].go", "[0-9].go", true},
		{"[^0-9].go", "[0-9].go", false},
		{`[\]].go`, "].go", true},
		{`\*.go`, "a.go", false},
		{`\*.go`, "*.go", true},
		{"{a,b}.go", "{b,c}.go", true},
		{"{a,b}.go", "{c,d}.go", false},
		{"src/{a/**,b}/x", "src/a/1/2/x", true},
		{"{a,{b,c}/d}/e", "c/d/e", true},
		{"{a,{b,c}/d}/e", "c/e", false},
		{"{src,lib}/**", "lib/x", true},
		{"src/{,x/}a", "src/a", true},
		{"a{,b}", "a", true},
		{"src/**/*.{ts,tsx}", "src/ui/button.tsx", true},
		{"src/**/*.{ts,tsx}", "src/ui/button.css", false},
		{"é/*", "é/ü", true},
		{"./src/a", "src/a", true},
		{"/src/a", "src/a", true},
		{"src/", "src/a/b", true},
		{"src/", "lib/a", false},
		{".", "src/a", true},
		{"a//b", "a/b", true},
		{"a[!x]b", "a/b", true},        // as in the matcher
		{"a/*/b", "a[!x][!x]b", false}, // a//b is not a path
		{"a/*", "a[!x]", false},        // nor is a/
		{"", "a", false},
		{"a", "b", false},
		// Malformed: the meaning is unknown.
		{"[a", "z", true},
		{"{a", "z", true},
		{`a\`, "z", true},
		{"[]", "z", true},
		{"[a-]", "z", true},
	} {
		t.Run(c.a+" and "+c.b, func(t *testing.T) {
			why, ok := overlap([]string{c.a}, []string{c.b})
			if ok != c.ok {
				t.Errorf("overlap is %v: %s", ok, why)
			}
			if ok != strings.HasPrefix(why, c.a+" and "+c.b) {
				t.Errorf("%v because %q", ok, why)
			}
			if _, back := overlap([]string{c.b}, []string{c.a}); back != ok {
				t.Error("the answer changes when the globs are swapped")
			}
		})
	}
}

func TestOverlapOfSetsNamesTheTwoGlobsAndAPath(t *testing.T) {
	why, ok := overlap([]string{"docs/**", "src/*.go"}, []string{"lib/**", "src/a*"})
	if !ok || why != "src/*.go and src/a* both match src/a.go" {
		t.Errorf("%v %q", ok, why)
	}
	for _, c := range [][2][]string{{nil, {"**"}}, {{"**"}, {}}, {nil, nil}} {
		if why, ok := overlap(c[0], c[1]); ok || why != "" {
			t.Errorf("an empty set overlaps something: %q", why)
		}
	}
}

// As many globs as a task may have, each as long as it may be.
const (
	maxListed = 1000
	maxItem   = 4000
)

func TestOverlapIsBounded(t *testing.T) {
	many := func(format string) []string {
		out := make([]string, maxListed)
		for i := range out {
			out[i] = fmt.Sprintf(format, i)
		}
		return out
	}
	long := strings.Repeat("*a", maxItem/2)
	for name, c := range map[string]struct {
		a, b []string
		ok   bool
	}{
		"long stars":        {[]string{long + "b"}, []string{long + "c"}, false},
		"long stars inside": {[]string{long + "*"}, []string{long + "b*"}, true},
		"many files":        {many("internal/task/a%d.go"), many("internal/task/b%d.go"), false},
		"many globs":        {many("internal/**/a%d_*.go"), many("internal/**/b%d_*.go"), true}, // out of work: may
		"braces":            {[]string{strings.Repeat("{a,b}", 500)}, []string{"z"}, true},
		"braces of one":     {[]string{strings.Repeat("{a,b}", 7) + strings.Repeat("{a}", 1000)}, []string{"z"}, true},
		"nested braces":     {[]string{strings.Repeat("{", 900) + "a" + strings.Repeat("}", 900)}, []string{"a"}, true},
		"many long braces":  {many("{a,b}{a,b}{a,b}{a,b}" + strings.Repeat("x", 3000) + "%d"), many("y%d"), true},
		"deep paths":        {[]string{strings.Repeat("**/a/", 100) + "b"}, []string{strings.Repeat("a/**/", 100) + "c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			if why, ok := overlap(c.a, c.b); ok != c.ok {
				t.Errorf("%v %.100q", ok, why)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// TestManyComparisonsShareOneBudget compares the globs of a plan that once took minutes to read: each pair is bounded,
// and so must be the sum.
func TestManyComparisonsShareOneBudget(t *testing.T) {
	sets := make([]*glob.Set, 100)
	for i := range sets {
		sets[i] = glob.New([]string{"*" + strings.Repeat("a*", 200) + strings.Repeat("/?", i)})
	}
	budget := glob.NewBudget(1 << 22)
	compared := 0
	for i, x := range sets {
		for _, y := range sets[:i] {
			if _, ok := budget.Overlap(context.Background(), x, y); ok {
				t.Fatal("globs with different numbers of segments overlap")
			}
			if budget.Spent() {
				break
			}
			compared++
		}
	}
	if !budget.Spent() || compared == 0 {
		t.Errorf("after %d comparisons Spent() = %v", compared, budget.Spent())
	}
	if _, ok := budget.Overlap(context.Background(), glob.New([]string{"a"}), glob.New([]string{"a"})); ok {
		t.Error("a spent budget goes on comparing")
	}
}

func TestAComparisonEndsWithItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	budget := glob.NewBudget(1 << 20)
	if _, ok := budget.Overlap(ctx, glob.New([]string{"a"}), glob.New([]string{"a"})); ok || !budget.Spent() {
		t.Error("it goes on comparing after its context ended")
	}
}

// TestSetsThatMeetHaveStartsThatDo: comparing sets by their starts must never hide an overlap.
func TestSetsThatMeetHaveStartsThatDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someGlob().Draw(t, "a"), someGlob().Draw(t, "b")
		path := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[abc]{1,3}`), 1, 4).Draw(t, "path"), "/")
		if !matches(a, path) || !matches(b, path) {
			return
		}
		for _, x := range glob.Starts([]string{a}) {
			for _, y := range glob.Starts([]string{b}) {
				if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
					return
				}
			}
		}
		t.Fatalf("%s and %s both match %s, but start apart", a, b, path)
	})
}

// someGlob draws globs over few letters, so that they often meet.
func someGlob() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"a", "b", "ab", "*", "a*", "*b", "?", "[ab]", "[!a]", "{a,b}", "{a,b/c}", "c{,a}", "c*a", "{a*,?b}"})
	return rapid.Custom(func(t *rapid.T) string {
		var segments []string
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			stars := len(segments) > 0 && segments[len(segments)-1] == "**"
			if !stars && rapid.IntRange(0, 3).Draw(t, "stars") == 0 {
				segments = append(segments, "**")
				continue
			}
			segments = append(segments, part.Draw(t, "part")+rapid.SampledFrom([]string{"", "", "c"}).Draw(t, "more"))
		}
		return strings.Join(segments, "/")
	})
}

// matches is the matcher, except for one thing that it does only halfway: a/** matches a, and so does a*/**.
func matches(glob, path string) bool {
	above, below := strings.CutSuffix(glob, "/**")
	return doublestar.MatchUnvalidated(glob, path) || below && doublestar.MatchUnvalidated(above, path)
}

// The overlap agrees with the matcher whose syntax the globs have: a path that matches both globs is an overlap,
// and the path that an overlap names matches both.
func TestOverlapAgreesWithTheMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someGlob().Draw(t, "a"), someGlob().Draw(t, "b")
		why, ok := overlap([]string{a}, []string{b})
		if ok {
			_, path, named := strings.Cut(why, " both match ")
			if !named || !matches(a, path) || !matches(b, path) {
				t.Fatalf("%s, but the matcher does not match it", why)
			}
			return
		}
		for range 50 {
			n := rapid.IntRange(1, 4).Draw(t, "n")
			path := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[abc]{1,3}`), n, n).Draw(t, "path"), "/")
			if doublestar.MatchUnvalidated(a, path) && doublestar.MatchUnvalidated(b, path) {
				t.Fatalf("%s and %s both match %s", a, b, path)
			}
		}
	})
}

func FuzzOverlap(f *testing.F) {
	f.Add("src/**/*.go", "src/{a,b}/[a-c]?.go", "src/a/bx.go")
	f.Add("{a,{b,c}}/**", `\[x`, "[x")
	f.Add("[!a-z]", "**/", "0")
	f.Fuzz(func(t *testing.T, a, b, path string) {
		why, ok := overlap([]string{a}, []string{b})
		if ok != (why != "") {
			t.Fatalf("%v because %q", ok, why)
		}
		if _, back := overlap([]string{b}, []string{a}); back != ok {
			t.Fatalf("%q and %q: %v, and the other way round %v", a, b, ok, back)
		}
		if _, met := overlap([]string{a}, []string{"**"}); !met && a != "" && !strings.ContainsAny(a, "[\x00") {
			t.Fatalf("%q does not overlap **", a)
		}
		// Only of real paths: no empty segment, no dot segment, no odd character.
		for _, seg := range strings.Split(path, "/") {
			if seg == "" || seg == "." || seg == ".." || strings.ContainsFunc(seg, func(r rune) bool { return r < ' ' || r > '~' }) {
				return
			}
		}
		// The matcher takes exponential time over many braces.
		if braces := strings.Count(a+b, "{"); !ok && braces < 8 && doublestar.MatchUnvalidated(a, path) && doublestar.MatchUnvalidated(b, path) {
			t.Fatalf("%q and %q both match %q", a, b, path)
		}
	})
}
