package frame

import "tasker/internal/text/words"

// Plain returns a sentence of ours as a person reads it: with times told relative to now, unless exact ones were asked for. It is
// not for what people wrote, whose times are theirs.
func Plain(f *Factory, text string) string {
	if f.Flags.Exact {
		return text
	}
	return words.Relative(text, f.Now())
}
