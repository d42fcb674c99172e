package prime

import (
	"strconv"
	"strings"

	"tasker/internal/text/safetext"
	"tasker/internal/text/words"
)

// quote returns stored text in the form that the manual uses: between « and », on one line, without invisible
// characters, and cut to limit characters. The text cannot end its own quotation.
func quote(text string, limit int) string {
	text = strings.Join(strings.Fields(safetext.Visible(text)), " ")
	text = strings.NewReplacer("«", "'", "»", "'", "`", "'").Replace(text)
	return "«" + words.Cut(text, limit) + "»"
}

// plain are the characters of names that need no quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@:*"

// name returns a name that somebody chose: unchanged if it is a plain word, otherwise quoted.
func name(text string, limit int) string {
	if text == "" || len(text) > limit || strings.Trim(text, plain) != "" {
		return quote(text, limit)
	}
	return text
}

// names joins the first few names.
func names[T ~string](all []T, few, limit int) string {
	out := words.Each(all[:min(len(all), few)], func(n T) string { return name(string(n), limit) })
	if more := len(all) - few; more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return words.List(out)
}
