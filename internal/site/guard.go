package site

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// run is how many consecutive characters of a credential a text must contain to count as showing it.
const run = 8

// guard finds credentials, plain or encoded, in what another system answers. It knows every run of eight characters of each
// form. It ignores case, because servers write headers as they like.
type guard struct {
	runs  map[uint64]struct{}
	sieve [1 << 10]uint64 // a filter of 64 Ki bits: rules out most text without the map
	short []string        // credentials shorter than a run, which are matched as a whole
}

// shortest is the length from which a credential is looked for: anything shorter occurs in any text.
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

// public are the well-known prefixes of vendors' credentials, which issues may mention.
var public = []string{"github_pat_", "ghp_", "gho_", "ghu_", "ghs_", "ATATT3xFfGF0"}

// forRecords returns a guard that ignores the public prefix of a credential and the scheme before it in a header. Hiding a
// refusal because of them would cost little, but here it would lose a whole record.
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

// Shows reports whether a text contains one of the credentials, plain or encoded.
func Shows(text string, credentials ...string) bool {
	return newGuard(credentials...).shows([]byte(text))
}

// Echoes reports whether a refusal contains a credential: plain, encoded, backwards, or cut into pieces. One that is shorter
// than a run may be a word that the refusal needs.
func Echoes(refusal []byte, credential string) bool {
	return len(credential) >= run && forRefusals(credential).echoes(refusal)
}

// forRefusals returns a guard for echoes.
func forRefusals(credentials ...string) *guard {
	g := newGuard(credentials...)
	for _, c := range credentials {
		for _, form := range append(forms(c), thirtyTwo(c)...) {
			back := []byte(form)
			slices.Reverse(back)
			for _, f := range []string{form, string(back)} {
				g.add(f)
				if plain := letters([]byte(f)); len(plain) >= run {
					g.add(string(plain))
				}
			}
		}
	}
	return g
}

// echoes is shows for a refusal, of which losing a harmless one costs little: what stands between the pieces of a credential
// does not count.
func (g *guard) echoes(text []byte) bool { return g.shows(text) || g.stands(letters(unescaped(text))) }

// letters returns the letters and digits of a text.
func letters(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, b := range text {
		if b >= '0' && b <= '9' || small(b) >= 'a' && small(b) <= 'z' {
			out = append(out, b)
		}
	}
	return out
}

// thirtyTwo returns the forms of a credential in base32, of which there are five, as forms does for base64.
func thirtyTwo(c string) (out []string) {
	if len(c) < shortest {
		return nil
	}
	for _, code := range []*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
		for before := range 5 {
			text := code.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", before) + c))
			from, to := (before*8+4)/5, len(text)
			if (before+len(c))%5 != 0 {
				to-- // the last character differs if the text goes on
			}
			out = append(out, text[from:to])
		}
	}
	return out
}

// forms returns a credential as it is and in each encoding in which it may come back. Base64 has three, because the
// credential may begin anywhere within what was encoded.
func forms(c string) []string {
	quoted, _ := json.Marshal(c) // a string always marshals
	out := []string{c, hex.EncodeToString([]byte(c)), url.QueryEscape(c), url.PathEscape(c), strings.Trim(string(quoted), `"`)}
	for before := range 3 {
		if len(c) < shortest {
			break
		}
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + c))
		from, to := (before*8+5)/6, len(text)
		if (before+len(c))%3 != 0 {
			to-- // the last character differs if the text goes on
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

// decodings limits how often a text is decoded: echoes come as JSON within JSON, or as an address within JSON.
const decodings = 3

// shows reports whether a text contains a credential, also if the text escapes characters as JSON or URLs do.
func (g *guard) shows(text []byte) bool {
	for range decodings {
		if g.stands(text) {
			return true
		}
		plain := unescaped(text)
		if len(plain) == len(text) {
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
	return slices.ContainsFunc(g.short, func(s string) bool { return strings.Contains(lower, s) })
}

// unescaped removes one layer of escapes from a text, each of which is longer than what it stands for: \n and \u0041 of
// JSON, %41 of URLs. It keeps everything else.
func unescaped(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for len(text) > 0 {
		width, b := 1, text[0]
		switch {
		case b == '%' && len(text) > 2:
			if v, err := strconv.ParseUint(string(text[1:3]), 16, 8); err == nil {
				width, b = 3, byte(v)
			}
		case b == '\\' && len(text) > 5 && text[1] == 'u':
			if v, err := strconv.ParseUint(string(text[2:6]), 16, 16); err == nil {
				plain, text = utf8.AppendRune(plain, rune(v)), text[6:]
				continue
			}
		case b == '\\' && len(text) > 1:
			width, b = 2, text[1]
		}
		plain, text = append(plain, b), text[width:]
	}
	return plain
}

// sent returns the headers that authorize sets on a request: each is a credential.
func sent(authorize func(*http.Request)) []string {
	r := &http.Request{Header: http.Header{}}
	authorize(r)
	return slices.Concat(slices.Collect(maps.Values(r.Header))...)
}
