package tokens

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite o200k.gz from the library")

// TestMain rewrites the vocabulary if asked to; the test program that is running still has the old one.
func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		if err := os.WriteFile("o200k.gz", vocabulary(), 0o644); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// vocabulary packs the tokens of the library in the order of their ranks: see packed.
func vocabulary() []byte {
	library, ranks := codec.NewO200kBase(), map[string]int{}
	var all []byte
	var columns [6][]byte
	for rank := 0; ; rank++ {
		token, err := library.Decode([]uint{uint(rank)})
		if err != nil {
			break
		}
		if ranks[token] = rank; rank < singles {
			all = append(all, token...)
			continue
		}
		first, second := parts(token, ranks)
		for i, n := range []int{first, second} {
			for j := range 3 {
				columns[3*i+j] = append(columns[3*i+j], byte(n>>(16-8*j)))
			}
		}
	}
	for _, c := range columns {
		all = append(all, c...)
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := z.Write(all); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// parts returns the two tokens of lower ranks that form a token; if there are several pairs, the one with the lowest sum.
func parts(token string, ranks map[string]int) (first, second int) {
	least := 2 * len(ranks)
	for i := 1; i < len(token); i++ {
		a, ok := ranks[token[:i]]
		b, also := ranks[token[i:]]
		if ok && also && a+b < least {
			least, first, second = a+b, a, b
		}
	}
	if least == 2*len(ranks) {
		panic("no two tokens make " + strconv.Quote(token))
	}
	return first, second
}

func same(t interface {
	Errorf(format string, args ...any)
}, library *codec.Codec, text string) {
	got, err := Count(text)
	want, werr := library.Count(text)
	if err != nil || werr != nil || got != want {
		t.Errorf("%q takes %d tokens (%v), and the library says %d (%v)", text, got, err, want, werr)
	}
}

func TestCountsAreThoseOfTheLibrary(t *testing.T) {
	library := codec.NewO200kBase()
	e, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(e.ranks) != 199_998 {
		t.Errorf("the vocabulary has %d tokens", len(e.ranks))
	}
	for token, rank := range e.ranks {
		if want, err := library.Decode([]uint{uint(rank)}); err != nil || token != want {
			t.Fatalf("token %d is %q, and the library says %q, %v", rank, token, want, err)
		}
	}
	for _, text := range []string{
		"", "a", " ", "\n\n  x", "Hello, world!", "naïve 日本語のテキスト 👩‍👩‍👧", "don't WE'LL it'S", strings.Repeat("a", 5000),
		strings.Repeat("ab c", 999),
		strings.Repeat("日", 3000), strings.Repeat("-=", 4000), "\xff\xfe broken \x80", `{"id":"shop-1","title":"Write the parser","deps":[]}`,
		"1234567890", "    indented\n\tcode(x, y) // comment\r\n", "https://example.com/a/b?c=d#e", "ΑΒΓ абв אבג",
	} {
		same(t, library, text)
	}
	page, err := os.ReadFile("../../../docs/concepts.md")
	if err != nil {
		t.Fatal(err)
	}
	same(t, library, string(page))
	rapid.Check(t, func(t *rapid.T) { same(t, library, rapid.StringMatching(`[a-e ]{0,300}`).Draw(t, "text")) })
}

// pattern splits a text as the library does, except for the group around it: the library compiles its own pattern in a
// form that leaves U+007F out and ends a run of white space too early.
const pattern = `(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)`

func TestATextIsSplitAsThePatternSplitsIt(t *testing.T) {
	engine := regexp2.MustCompile(pattern, regexp2.None)
	compare := func(t *rapid.T, text string) {
		match, err := engine.FindStringMatch(text)
		for rest := text; rest != ""; match, err = engine.FindNextMatch(match) {
			if err != nil || match == nil {
				t.Fatalf("%q: %v", text, err)
			}
			if got := rest[:next(rest)]; got != match.String() {
				t.Fatalf("%q: the piece %q, want %q", text, got, match.String())
			}
			rest = rest[len(match.String()):]
		}
	}
	rapid.Check(t, func(t *rapid.T) { compare(t, rapid.String().Draw(t, "text")) })
	mixed := `[abcdelmrstvABLS\x{17F}\x{1C5}\x{2B0}\x{AA}\x{5D0}\x{301}'’ \r\n\t\x{A0}\x{3000}/.,0-9\x{B2}\x{2160}\x{7F}\-]{0,30}`
	rapid.Check(t, func(t *rapid.T) { compare(t, rapid.StringMatching(mixed).Draw(t, "text")) })
}
