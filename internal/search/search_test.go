package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/task"
)

func words(text string) string { return Words(text, "") }

func TestWordsAreLettersAndDigitsInLowerCaseWithoutDiacritics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\n-- !?", ""},
		{"Fix the Parser", "fix the parser"},
		{"Café déjà-vu", "cafe deja vu"},
		{"Cafe\u0301", "cafe"}, // the accent on its own
		{"Straße STRASSE", "strasse strasse"},
		{"Łódź Øre Æther œuvre đ ħ", "lodz ore aether oeuvre d h"},
		{"İstanbul ısı", "istanbul isi"},
		{"ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"},
		{"Ёлка", "елка"},
		{"ﬁle ① ² Ａｂ", "file 1 2 ab"},
		{"don't don’t 'quoted' rock'n'roll", "dont dont quoted rocknroll"},
		{"internal/store/walk.go:12", "internal store walk go 12"},
		{"snake_case kebab-case a.b.c", "snake case kebab case a b c"},
		{"someone@example.com https://example.com/a?b=c#d", "someone example com https example com a b c d"},
		{"v1.2.3 1.2.3 V10 vx", "v1 1 2 3 1 2 3 v10 10 vx"},
		{"日本語です", "日 本 語 て\u3099 す"},
		{"修复login错误", "修 复 login 错 误"},
		{"한국어 \u1112\u1161\u11ab", "한국어 한"},
		{"שָׁלוֹם مُحَمَّد", "שלום محمد"},
		{"हिन्दी", "हिन्दी"},
		{"ไทย", "ไ ท ย"},
		{"done ✅ 👩🏽‍💻!", "done ✅ 👩 💻"},
		{"soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"},
		{"bad\xffbytes", "bad bytes"},
		{"a\x1eb", "a _ b"},
		{strings.Repeat("x", 100), strings.Repeat("x", 64)},
		{strings.Repeat("ж", 100), strings.Repeat("ж", 32)},
	} {
		if got := words(c.text); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAContextComesFirstAndIsToldApart(t *testing.T) {
	t.Parallel()
	if got := Words("it hangs", "Login page"); got != "_login _page _ it hangs" {
		t.Errorf("got %q", got)
	}
	if got := Words("…", "Login page"); got != "" {
		t.Errorf("a text without words has %q", got)
	}
}

func TestPartsOfATextStandApart(t *testing.T) {
	t.Parallel()
	if got := Text("", "a b", "", "c"); words(got) != "a b _ c" {
		t.Errorf("got %q", words(got))
	}
	if got := Text("", "a b", ""); got != "a b" {
		t.Errorf("got %q", got)
	}
}

func TestALongTextKeepsToTheBoundsOfEveryEngine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "often w%d ", i)
	}
	list := strings.Split(words(b.String()), " ")
	places := map[string]int{}
	last := 0
	for i, w := range list {
		if i < MaxPlaces {
			places[w]++
		}
		if w == "w19999" {
			last = i
		}
	}
	if places["often"] != maxRepeats {
		t.Errorf("the word often is in %d places", places["often"])
	}
	if last < MaxPlaces || list[last-1] != Hole {
		t.Errorf("the last word is at %d, after %q", last, list[last-1])
	}
	for _, c := range []struct {
		query string
		want  bool
	}{
		{"w19999", true}, {"often w19999", true}, {`"often w10"`, true}, {`"often w500"`, false}, {`"often w19999"`, false}, {`"w7 often"`, true},
	} {
		if got := Parse(c.query).In(words(b.String())); got != c.want {
			t.Errorf("%s: %v", c.query, got)
		}
	}
	huge := strings.Repeat("abcdefgh ijklmnop ", 1<<16)
	if n := len(words(huge)); n > maxWords+2*maxWord {
		t.Errorf("a text of %d bytes has words of %d bytes", len(huge), n)
	}
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	if n := len(words(many.String())); n > maxWords+2*maxWord {
		t.Errorf("a text of %d bytes has words of %d bytes", many.Len(), n)
	}
}

func TestQuotesAndClosenessGroupWordsAndNothingElseIsSyntax(t *testing.T) {
	t.Parallel()
	g := func(prefix bool, words ...string) Group { return Group{Words: words, Prefix: prefix} }
	for _, c := range []struct {
		text string
		want []Group
	}{
		{"", nil},
		{" ? !", nil},
		{"Parser", []Group{g(true, "parser")}},
		{"fix parser", []Group{g(false, "fix"), g(true, "parser")}},
		{`"off by one" parser`, []Group{g(false, "off", "by", "one"), g(true, "parser")}},
		{`parser "off by one"`, []Group{g(false, "parser"), g(false, "off", "by", "one")}},
		{`parser "off by`, []Group{g(false, "parser"), g(true, "off", "by")}},
		{`“typographic quotes”`, []Group{g(false, "typographic", "quotes")}},
		{`""`, nil},
		{`a"b c"d`, []Group{g(false, "a"), g(false, "b", "c"), g(true, "d")}},
		{"internal/store/wa", []Group{g(true, "internal", "store", "wa")}},
		{"x", []Group{g(true, "x")}}, // a single character is a prefix too
		{"foo AND NOT (bar* OR ^baz) NEAR/2 title:x", []Group{
			g(false, "foo"), g(false, "and"), g(false, "not"), g(false, "bar"), g(false, "or"), g(false, "baz"), g(false, "near", "2"), g(true, "title", "x"),
		}},
		{"same same", []Group{g(false, "same"), g(true, "same")}},
		{"the cat the cat", []Group{g(false, "the"), g(false, "cat"), g(true, "cat")}},
		{"v1", []Group{g(true, "v1")}},
		{"v1.2", []Group{g(true, "v1", "1", "2")}},
		{"日本", []Group{g(false, "日", "本")}},
		{"🎉", []Group{g(false, "🎉")}},
	} {
		if diff := cmp.Diff(c.want, Parse(c.text).Groups); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
	long := Parse(strings.Repeat("word other ", 100))
	n := 0
	for _, g := range long.Groups {
		n += len(g.Words)
	}
	if n > MaxAsked {
		t.Errorf("%d words of a long query are used", n)
	}
}

func TestAQueryFindsWhatHoldsAllOfIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query, text, context string
		want                 bool
	}{
		{"parser", "The parser fails", "", true},
		{"PARSÉR", "The parser fails", "", true},
		{"pars", "The parser fails", "", true},
		{`"pars"`, "The parser fails", "", false},
		{"pars fails", "The parser fails", "", false}, // only the last word may be a prefix
		{"fails pars", "The parser fails", "", true},
		{"parser lexer", "The parser fails", "", false},
		{`"parser fails"`, "The parser fails", "", true},
		{`"fails parser"`, "The parser fails", "", false},
		{`"the parser fa`, "The parser fails", "", true},
		{"store/walk.go", "see internal/store/walk.go", "", true},
		{"walk.go/store", "see internal/store/walk.go", "", false},
		{"1.2", "released v1.2.3", "", true},
		{"v1.2", "released v1.2.3", "", true},
		{"v1.2", "released 1.2.3", "", false},
		{"v1", "released v1.2.3", "", true},
		{"v1", "released v12", "", true},
		{"example.com", "mail someone@example.com", "", true},
		{"本語", "日本語", "", true},
		{"語本", "日本語", "", false},
		{"a b", Text("x a", "b y"), "", true},
		{`"a b"`, Text("x a", "b y"), "", false},
		{"login timeout", "ends in a timeout", "Login page", true},
		{"login page", "ends in a timeout", "Login page", false}, // none of it is in the text
		{`"login page" tim`, "ends in a timeout", "Login page", true},
		{`"page ends"`, "ends in a timeout", "Login page", false},
		{"", "anything", "", false},
		{"!!", "anything", "", false},
	} {
		if got := Parse(c.query).In(Words(c.text, c.context)); got != c.want {
			t.Errorf("%q in %q (%q): %v", c.query, c.text, c.context, got)
		}
	}
}

func TestAPassageHoldsWhatWasFound(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("lorem ipsum dolor ", 40)
	for _, c := range []struct{ query, text, want string }{
		{"parser", "The parser\n\tfails", "The parser fails"},
		{"two", Text("one", "two"), "one · two"},
		{"zebra", filler + "a zebra here " + filler, "… dolor lorem ipsum"},
	} {
		q := Parse(c.query)
		marks, _ := q.look(c.text).best()
		got := passage(c.text, marks)
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("the passage for %q is %q", c.query, got)
		}
		if len(got) > maxPassage+20 || strings.ContainsAny(got, "\n\t") {
			t.Errorf("the passage for %q is %d bytes: %q", c.query, len(got), got)
		}
	}
	q := Parse("zebra apple")
	text := "zebra " + filler + "apple " + filler + " the apple near the zebra " + filler
	marks, near := q.look(text).best()
	if got := passage(text, marks); near != 2 || !strings.Contains(got, "the apple near the zebra") {
		t.Errorf("the passage is %q", got)
	}
}

func TestMarksAreInOrderAndApart(t *testing.T) {
	t.Parallel()
	text := "The Café parser, the café"
	var got []string
	for _, m := range Parse(`"cafe parser" cafe`).Marks(text) {
		got = append(got, text[m.Start:m.End])
	}
	if diff := cmp.Diff([]string{"Café parser", "café"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBetterHitsComeFirstAndALimitIsOfEachKind(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1_000_000
	now := task.Time(1000 * day)
	q := Parse("fix parser")
	found := []Found{
		{Kind: Log, Doc: 1, Project: "p", Task: "p-9", Text: Text("task.moved", "fix", "parser"), At: now},
		{Kind: Note, Doc: 2, Project: "p", Task: "p-1", Title: "Other", Text: "fix the parser", At: now},
		{Kind: Note, Doc: 3, Project: "p", Task: "p-2", Title: "Fix the parser", Text: "fix parser again", At: now},
		{Kind: Title, Doc: 4, Project: "p", Task: "p-2", Title: "Fix the parser", Text: Text("Fix the parser", "k"), At: now - 100*day},
		{Kind: Title, Doc: 5, Project: "p", Task: "p-3", Title: "Fix parser", Text: Text("Fix parser", "k"), At: now - 200*day},
		{Kind: Title, Doc: 6, Project: "p", Task: "p-4", Title: "Fix the parsers", Text: Text("Fix the parsers", "k"), At: now},
		{Kind: Title, Doc: 7, Project: "p", Task: "p-5", Title: "Fix the parsers", Text: Text("Fix the parsers", "k"), At: now - day},
	}
	var got []string
	for i := range found {
		found[i] = q.Judge(found[i], now)
	}
	for _, h := range Rank(found, 3) {
		got = append(got, fmt.Sprint(h.Kind, " ", h.Task))
	}
	if diff := cmp.Diff([]string{"title p-3", "title p-4", "title p-5", "note p-2", "note p-1", "log p-9"}, got); diff != "" {
		t.Error(diff)
	}
	key := Parse("k7").Judge(Found{Kind: Title, Title: "Fix it", Text: Text("Fix it", "k7"), At: now}, now)
	if key.Text != "Fix it · k7" {
		t.Errorf("a hit by the key reads %q", key.Text)
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"", "parser", `"off by one`, `""""`, "a AND b", "日本", "v1.2 'x'", "\x00\xff", "שָׁלוֹם", "👩🏽‍💻", "\u1112\u1161", "ﷺ", strings.Repeat("“a", 50),
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q := Parse(query)
		for _, g := range q.Groups {
			if len(g.Words) == 0 {
				t.Fatalf("a group of %q has no word", query)
			}
			for _, w := range g.Words {
				if w == "" || len(w) > 3*maxWord || strings.ContainsAny(w, " '\"\\_:*&|!()<>\x00") {
					t.Fatalf("%q has the word %q", query, w)
				}
			}
		}
		found := Words(text, query)
		if strings.ContainsAny(found, "'\"\\:*&|!()<>\x00\n") || strings.Contains(found, "  ") {
			t.Fatalf("the words of %q are %q", text, found)
		}
		if Words(found, "") != "" != (words(text) != "") && found != "" && !strings.HasPrefix(found, Hole) {
			t.Fatalf("the words of %q have no words of their own", text)
		}
		if !strings.ContainsRune(query, gap) && len(query) < 2000 && len(q.Groups) == 1 && len(q.Groups[0].Words) < 4 && words(query) != "" && !q.In(words(query)) {
			t.Fatalf("%q does not find itself", query)
		}
		score, shown := q.score(Found{Kind: Body, Title: query, Text: text}, 0)
		if score < 0 || score > 100 || len(shown) > 4*maxPassage+20 {
			t.Fatalf("%v %q", score, shown)
		}
		end := 0
		for _, m := range q.Marks(text) {
			if m.Start < end || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("the mark %v comes after %d", m, end)
			}
			end = m.End
		}
	})
}
