package child

import (
	"bytes"
	"strings"
	"testing"
)

// masked writes a text in pieces of the given length.
func masked(t *testing.T, text string, piece int, values ...string) string {
	t.Helper()
	var out bytes.Buffer
	m := newMasker(&out, values)
	if m == nil {
		return text
	}
	for len(text) > 0 {
		n := min(piece, len(text))
		if wrote, err := m.Write([]byte(text[:n])); wrote != n || err != nil {
			t.Fatal(wrote, err)
		}
		text = text[n:]
	}
	if err := m.end(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSecretsAreMasked(t *testing.T) {
	key := "-----BEGIN KEY-----\nabcdefgh\nijklmnop\n-----END KEY-----\n"
	for _, c := range []struct {
		name   string
		values []string
		text   string
		want   string
	}{
		{"in the middle", []string{"hunter2"}, "a hunter2 b\n", "a ******** b\n"},
		{"at the ends", []string{"hunter2"}, "hunter2hunter2", "****************"},
		{"nearly", []string{"hunter2"}, "hunter hunter3 hunter", "hunter hunter3 hunter"},
		{"after a false start", []string{"aaab"}, "aaaaab", "aa********"},
		{"the longer one", []string{"hunter", "hunter2"}, "hunter2 hunter", "******** ********"},
		{"a longer one that does not come", []string{"hunt", "hunter2"}, "hunter", "********er"},
		{"one within the other", []string{"abcdef", "efghij"}, "abcdefghij", "********"},
		{"one begun within the other", []string{"abcdef", "efghij"}, "abcdefgh!", "********gh!"},
		{"blanks around it", []string{" hunter2\n"}, "<hunter2>", "<********>"},
		{"several lines", []string{key}, "  " + strings.ReplaceAll(key, "\n", "\n  "), "  ********\n  ********\n  ********\n  ********\n  "},
		{"short and plain ones", []string{"", "red", "true", "FALSE"}, "red true FALSE", "red true FALSE"},
	} {
		for piece := 1; piece <= len(c.text); piece++ {
			if got := masked(t, c.text, piece, c.values...); got != c.want {
				t.Errorf("%s, in pieces of %d: %q, want %q", c.name, piece, got, c.want)
			}
		}
	}
}

func TestWhatIsNoSecretIsNotHeldBack(t *testing.T) {
	var out bytes.Buffer
	m := newMasker(&out, []string{"hunter2"})
	_, _ = m.Write([]byte("Password: hunt"))
	if out.String() != "Password: " {
		t.Errorf("%q was written", out.String())
	}
}

func FuzzMask(f *testing.F) {
	f.Add("a hunter2 b", "hunter2", "unter", 3)
	f.Fuzz(func(t *testing.T, text, a, b string, piece int) {
		if piece = max(1, piece%8); strings.Contains(a+b+text, "*") {
			return
		}
		got := masked(t, text, piece, a, b)
		if whole := masked(t, text, len(text)+1, a, b); whole != got {
			t.Errorf("in pieces %q, at once %q", got, whole)
		}
		for _, s := range []string{a, b} {
			if s = strings.TrimSpace(s); len(s) >= leastSecret && !strings.Contains(s, "\n") && newMasker(nil, []string{s}) != nil && strings.Contains(got, s) {
				t.Errorf("%q is in %q", s, got)
			}
		}
	})
}
