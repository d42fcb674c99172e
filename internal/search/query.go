package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxAsked is how many words of a query count; the rest of a longer one is ignored.
const MaxAsked = 32

// Query is what to look for: every group must be found.
type Query struct {
	Groups []Group
}

// Group is a word, or words that must follow one another. If Prefix is set, the last one may be the beginning of a
// longer word.
type Group struct {
	Words  []string
	Prefix bool
}

// Parse reads a query. Any text is valid. Quotes group words, and so does writing them without a space in between, like
// the parts of a path. The last word also finds longer ones, unless it is followed by a closing quote. A query without
// words finds nothing.
func Parse(text string) Query {
	var q Query
	left := MaxAsked
	for inside := false; text != ""; inside = !inside {
		before, after, quoted := cutQuote(text)
		if inside {
			q.add(before, !quoted, &left)
		} else {
			for chunk := range strings.FieldsSeq(before) {
				q.add(chunk, true, &left)
			}
		}
		text = after
	}
	for i := range q.Groups {
		g := &q.Groups[i]
		g.Prefix = g.Prefix && i == len(q.Groups)-1 && !isAlone(g.Words[len(g.Words)-1])
	}
	q.compact()
	return q
}

// isAlone reports whether a word is a character that is a word by itself, and so is never the beginning of a longer
// one.
func isAlone(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= utf8.RuneSelf && classOf(r) == alone
}

// cutQuote cuts a text at its first quote.
func cutQuote(text string) (before, after string, found bool) {
	at := strings.IndexAny(text, `"“”„‟«»`)
	if at < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[:at], text[at+size:], true
}

func (q *Query) add(chunk string, open bool, left *int) {
	var g Group
	s := scanner{text: chunk}
	echo := false
	for ; *left > 0 && s.next(); *left-- {
		g.Words, echo = append(g.Words, string(s.word)), s.echo
	}
	if echo { // the version by itself is enough, and may be the beginning of a longer word
		g.Words = g.Words[:len(g.Words)-1]
	}
	if len(g.Words) > 0 {
		g.Prefix = open
		q.Groups = append(q.Groups, g)
	}
}

// compact removes duplicate groups.
func (q *Query) compact() {
	var out []Group
	for _, g := range q.Groups {
		if !slices.ContainsFunc(out, func(o Group) bool { return o.Prefix == g.Prefix && slices.Equal(o.Words, g.Words) }) {
			out = append(out, g)
		}
	}
	q.Groups = out
}

// Without returns the query without the groups that are among the words of a text.
func (q Query) Without(words string) Query {
	list := strings.Split(words, " ")
	return Query{slices.DeleteFunc(slices.Clone(q.Groups), func(g Group) bool { return g.among(list, "") })}
}

// Written writes the query, which has at least one group, in the syntax of an engine: every group in the text or in its
// context, and at least one in the text. phrase writes a group whose words have a mark before them.
func (q Query) Written(phrase func(g Group, mark string) string, and, or string) string {
	var all, own []string
	for _, g := range q.Groups {
		mine := phrase(g, "")
		all, own = append(all, "("+mine+or+phrase(g, Hole)+")"), append(own, mine)
	}
	if len(own) == 1 {
		return own[0]
	}
	return strings.Join(all, and) + and + "(" + strings.Join(own, or) + ")"
}

// In reports whether the query finds a document by the result of Words for it: every group must be in the text or in
// its context, and at least one in the text itself. The engines do the same for all documents at once.
func (q Query) In(words string) bool {
	if len(q.Groups) == 0 || !q.likely(words) {
		return false
	}
	list := strings.Split(words, " ")
	own := false
	for _, g := range q.Groups {
		if g.among(list, "") {
			own = true
		} else if !g.among(list, Hole) {
			return false
		}
	}
	return own
}

// likely looks only for the letters, which most documents do not have.
func (q Query) likely(words string) bool {
	for _, g := range q.Groups {
		for _, w := range g.Words {
			if !strings.Contains(words, w) {
				return false
			}
		}
	}
	return true
}

// among looks for the group among words that have a mark before them.
func (g Group) among(list []string, mark string) bool {
	for i := range len(list) - len(g.Words) + 1 {
		if g.at(list[i:], mark) {
			return true
		}
	}
	return false
}

func (g Group) at(list []string, mark string) bool {
	for j, want := range g.Words {
		got, ok := strings.CutPrefix(list[j], mark)
		if !ok || got != want && !(g.Prefix && j == len(g.Words)-1 && strings.HasPrefix(got, want)) {
			return false
		}
	}
	return true
}
