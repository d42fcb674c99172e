package postgres

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/search"
)

// The words of documents are in a tsvector that is written as we found them, with one more word for the project: no parser,
// dictionary or stemmer of the server is involved.

const putWords = `INSERT INTO words (id, vector) VALUES ($1, $2)
	ON CONFLICT (id) DO UPDATE SET vector=excluded.vector`

// atOnce is how many documents are worth a COPY of their own.
const atOnce = 64

func (c *conn) AddWords(docs []db.Doc) error {
	if len(docs) >= atOnce {
		return c.Bulk("words", []string{"id", "vector"}, len(docs), func(i int) []any { return []any{docs[i].ID, vectorOf(docs[i])} })
	}
	for _, d := range docs {
		db.Exec(c, 1, putWords, d.ID, vectorOf(d))
	}
	return c.err
}

func (c *conn) PutWords(d db.Doc) error {
	if d.Words == "" {
		return c.Exec(db.Any, `DELETE FROM words WHERE id=$1`, d.ID)
	}
	return c.Exec(1, putWords, d.ID, vectorOf(d))
}

func (c *conn) DropWords(project int64) error {
	lo, hi := db.DocSpan(project)
	return c.Exec(db.Any, `DELETE FROM words WHERE id BETWEEN $1 AND $2`, lo, hi)
}

// SettleWords has nothing to do: the index keeps its own list of new entries.
func (c *conn) SettleWords() error { return c.err }

func (c *conn) FindWords(q search.Query, project int64, each func(doc int64)) error {
	if len(q.Groups) == 0 {
		return c.err
	}
	// An index of words can only be read into a bitmap, which our sessions do not use otherwise: see Open.
	c.plain("SET LOCAL enable_bitmapscan = on")
	defer c.plain("SET LOCAL enable_bitmapscan TO DEFAULT")
	return c.Query(`SELECT id FROM words WHERE vector @@ CAST(CAST($1 AS TEXT) AS TSQUERY)`, []any{tsquery(q, project)}, func(row db.Row) error {
		each(row.Int(0))
		return nil
	})
}

func (c *conn) Documents(project int64, each func(doc int64)) error {
	lo, hi := db.DocSpan(project)
	return c.Query(`SELECT id FROM words WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, func(row db.Row) error {
		each(row.Int(0))
		return nil
	})
}

// ofProject returns the word that every document of a project has. No other word begins like it.
func ofProject(project int64) string { return "__" + strconv.FormatInt(project, 10) }

// placed is a word and its position; 0 is no particular position.
type placed struct {
	word  string
	place int
}

// placing returns the words of a document in byte order, each with its positions in ascending order.
func placing(d db.Doc) []placed {
	list := make([]placed, 0, strings.Count(d.Words, " ")+2)
	place := 0
	for w := range strings.SplitSeq(d.Words, " ") {
		if place++; w == search.Hole {
			continue
		}
		if place > search.MaxPlaces {
			list = append(list, placed{w, 0})
		} else {
			list = append(list, placed{w, place})
		}
	}
	list = append(list, placed{ofProject(db.DocProject(d.ID)), 0})
	slices.SortFunc(list, func(a, b placed) int { return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(a.place, b.place)) })
	return list
}

// run returns how many entries at the beginning are of one word, and how many of those have no position: they come first.
func run(list []placed) (n, nowhere int) {
	for n < len(list) && list[n].word == list[0].word {
		if list[n].place == 0 {
			nowhere++
		}
		n++
	}
	return n, nowhere
}

// vector is a tsvector in binary form.
type vector []byte

// vectorOf writes the words of a document, each once: how many there are, then each word with a zero byte, the number of
// its positions, and the positions.
func vectorOf(d db.Doc) vector {
	b := make([]byte, 4, 2*len(d.Words)+64)
	words := uint32(0)
	for list := placing(d); len(list) > 0; words++ {
		n, nowhere := run(list)
		b = append(b, list[0].word...)
		b = append(b, 0)
		b = binary.BigEndian.AppendUint16(b, uint16(n-nowhere))
		for _, at := range list[nowhere:n] {
			b = binary.BigEndian.AppendUint16(b, uint16(at.place))
		}
		list = list[n:]
	}
	binary.BigEndian.PutUint32(b, words)
	return b
}

// tsquery writes a query for the documents of a project, or for all of them.
func tsquery(q search.Query, project int64) string {
	out := q.Written(phrase, "&", "|")
	if project != 0 {
		out = "(" + out + ")&" + ofProject(project)
	}
	return out
}

func phrase(g search.Group, mark string) string {
	all := "'" + mark + strings.Join(g.Words, "'<->'"+mark) + "'"
	if g.Prefix {
		all += ":*"
	}
	return "(" + all + ")"
}
