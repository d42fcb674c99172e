// Package o200k counts the tokens of a text exactly. Its vocabulary takes megabytes, so only tests have it: they compare
// the program's estimates with it, and hold what agents read to its bounds.
package o200k

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

var library = sync.OnceValue(codec.NewO200kBase)

// Count returns how many o200k tokens a text takes.
func Count(text string) int {
	n, err := library().Count(text)
	if err != nil { // of the expression that splits a text, which is given no time limit
		panic(err)
	}
	return n
}
