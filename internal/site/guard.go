package site

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// run is how many characters in a row of a credential make a text one that shows it.
const run = 8

// guard finds credentials in what another system answers, as they are or encoded. It knows every run of eight characters
// of each form; letters count in either case, because servers write headers as they like.
type guard struct {
	runs  map[uint64]struct{}
	sieve [1 << 10]uint64 // of 64 Ki bits: most text is told apart without a look into the map
	short []string        // credentials of fewer characters, which count as a whole
}

// shortest is how many characters a credential must have to be looked for at all: fewer stand in any text.
const shortest = 4

func newGuard(credentials ...string) *guard {
	g := &guard{runs: map[uint64]struct{}{}}
	for _, c := range credentials {
		for _, form := range forms(c) {
			g.add(form)
		}
	}
	return g
}

// public is what the credentials of vendors begin with, which everybody knows and issues speak of.
var public = []string{"github_pat_", "ghp_", "gho_", "ghu_", "ghs_", "ATATT3xFfGF0"}

// forRecords returns a guard that takes the public beginning of a credential, with the scheme before it in a header, for nothing: a
// refusal loses little by it, and a record would be lost.
func forRecords(credentials ...string) *guard {
	g := newGuard(credentials...)
	for _, c := range credentials {
		scheme, token := "", c
		if i := strings.LastIndexByte(c, ' '); i >= 0 {
			scheme, token = c[:i+1], c[i+1:]
		}
		for _, p := range public {
			if strings.HasPrefix(token, p) {
				g.forget(scheme + p)
			}
		}
	}
	return g
}

func (g *guard) forget(text string) {
	var last uint64
	for i := range len(text) {
		if last = last<<8 | uint64(small(text[i])); i >= run-1 {
			delete(g.runs, last)
		}
	}
}

// Shows reports whether one of the credentials stands in a text, as it is or encoded.
func Shows(text string, credentials ...string) bool {
	return newGuard(credentials...).shows([]byte(text))
}

// forms returns a credential as it is and in each encoding in which it may come back. Base64 has three, for the text may
// begin anywhere within what was encoded.
func forms(c string) []string {
	quoted, _ := json.Marshal(c) // a text is always JSON
	out := []string{c, hex.EncodeToString([]byte(c)), url.QueryEscape(c), url.PathEscape(c), strings.Trim(string(quoted), `"`)}
	for before := range 3 {
		if len(c) < shortest {
			break
		}
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + c))
		from, to := (before*8+5)/6, len(text)
		if (before+len(c))%3 != 0 {
			to-- // the last character is another one where the text goes on
		}
		text = text[from:to]
		out = append(out, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return out
}

func (g *guard) add(form string) {
	if len(form) < run {
		if len(form) >= shortest {
			g.short = append(g.short, strings.ToLower(form))
		}
		return
	}
	var last uint64
	for i := range len(form) {
		if last = last<<8 | uint64(small(form[i])); i >= run-1 {
			g.runs[last] = struct{}{}
			at := sieved(last)
			g.sieve[at>>6] |= 1 << (at & 63)
		}
	}
}

func small(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func sieved(v uint64) uint64 { return v * 0x9e3779b97f4a7c15 >> 48 }

// decodings is how often a text is decoded: JSON within JSON, or an address within it, is what echoes are wrapped in.
const decodings = 3

// shows reports whether a credential stands in a text, also where the text escapes characters as JSON or addresses do.
func (g *guard) shows(text []byte) bool {
	for range decodings {
		if g.stands(text) {
			return true
		}
		plain, changed := unescaped(text)
		if !changed {
			return false
		}
		text = plain
	}
	return g.stands(text)
}

func (g *guard) stands(text []byte) bool {
	var last uint64
	for i, b := range text {
		last = last<<8 | uint64(small(b))
		if at := sieved(last); g.sieve[at>>6]&(1<<(at&63)) == 0 || i < run-1 {
			continue
		}
		if _, there := g.runs[last]; there {
			return true
		}
	}
	if len(g.short) == 0 {
		return false
	}
	lower := strings.ToLower(string(text))
	for _, s := range g.short {
		if strings.Contains(lower, s) {
			return true
		}
	}
	return false
}

// unescaped takes one layer of escapes off a text: \n and \u0041 of JSON, %41 of addresses. What is no escape stays.
func unescaped(text []byte) (plain []byte, changed bool) {
	for i := 0; i < len(text); i++ {
		b, width := text[i], 1
		switch {
		case b == '%' && i+2 < len(text):
			if v, err := strconv.ParseUint(string(text[i+1:i+3]), 16, 8); err == nil {
				b, width = byte(v), 3
			}
		case b == '\\' && i+5 < len(text) && text[i+1] == 'u':
			if v, err := strconv.ParseUint(string(text[i+2:i+6]), 16, 16); err == nil {
				if plain == nil {
					plain = append(make([]byte, 0, len(text)), text[:i]...)
				}
				plain, i = utf8.AppendRune(plain, rune(v)), i+5
				continue
			}
		case b == '\\' && i+1 < len(text):
			b, width = text[i+1], 2
		}
		if width > 1 && plain == nil {
			plain = append(make([]byte, 0, len(text)), text[:i]...)
		}
		if plain != nil {
			plain = append(plain, b)
		}
		i += width - 1
	}
	if plain == nil {
		return text, false
	}
	return plain, true
}

// sent returns the headers that authorize puts into a request: each is a credential.
func sent(authorize func(*http.Request)) []string {
	r := &http.Request{Header: http.Header{}}
	authorize(r)
	var out []string
	for _, values := range r.Header {
		out = append(out, values...)
	}
	return out
}
