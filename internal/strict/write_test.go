package strict_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tasker/internal/strict"
)

type one string

func (v one) Members(o *strict.Writer) { o.Text("v", string(v)) }

func TestTextsAreQuotedAsTheEncoderQuotesThem(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, v string) {
		got, err := strict.AppendRecord(nil, one(v))
		if err != nil {
			t.Fatalf("%q: %v", v, err)
		}
		want, _ := jsontext.AppendQuote(nil, v)
		if string(got) != `{"v":`+string(want)+`}` {
			t.Fatalf("%q is written as %s, want %s", v, got, want)
		}
	}
	for c := range 256 { // every byte at every place of a word
		for at := range 17 {
			v := []byte("plain and simple!")
			v[at] = byte(c)
			check(t, string(v))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
		check(t, rapid.String().Draw(t, "text"))
	})
}
