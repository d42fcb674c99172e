// Package dump reads and writes whole records: every table of the schema row by row, whatever it
// holds, so that nothing can be forgotten. It leaves out what is derived from other records, and
// recomputes it when they are written.
package dump

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/text/words"
)

// leftOut lists the tables that are not records, with the reason.
var leftOut = map[string]string{
	"turn":        "the head of the database, which identifies it",
	"session":     "credentials are for one database",
	"idempotency": "answers that are stored for a day",
	"policy":      "orders of selection, which are made on request",
	"route":       "follows from the tasks",
	"frontier":    "follows from the tasks",
	"tally":       "follows from the tasks",
	"touch":       "follows from the tasks",
	"actor":       "follows from the events",
	"words":       "the index of texts",
	"fresh":       "the index of texts",
	"taken":       "an inbox item is taken for minutes",
	"runner":      "runners say again where they stand",
}

// table is a table of the schema.
type table struct {
	name    string
	columns []column
	key     []string // the primary key
}

type column struct {
	name string
	text bool // else a number
	null bool // may be null
}

func (t *table) names() []string {
	return words.Each(t.columns, func(c column) string { return c.name })
}

// scope returns the condition that a row belongs to the project with the id $1, or "" if the table
// has no projects.
func (t *table) scope() string {
	has := func(name string) bool { return slices.Contains(t.names(), name) }
	switch {
	case t.name == "project":
		return "id=$1"
	case has("project"):
		return "project=$1"
	case has("task"):
		return "task/4294967296=$1"
	}
	return ""
}

var (
	creating   = words.Pattern(`(?s)^CREATE TABLE (\w+) \((.*)\)`)
	adding     = words.Pattern(`(?s)^ALTER TABLE (\w+) ADD COLUMN (.*)$`)
	renaming   = words.Pattern(`^ALTER TABLE (\w+) RENAME COLUMN (\w+) TO (\w+)`)
	dropping   = words.Pattern(`^DROP TABLE (\w+)`)
	primaryKey = words.Pattern(`^PRIMARY KEY \(([^)]*)\)`)
)

// tables returns the tables of records, in the order of their creation.
func tables(migrations []db.Migration) ([]*table, error) {
	all, err := everyTable(migrations)
	return slices.DeleteFunc(all, func(t *table) bool { return leftOut[t.name] != "" }), err
}

// everyTable returns the tables that the migrations create, in that order: a table comes after the
// tables that it refers to.
func everyTable(migrations []db.Migration) ([]*table, error) {
	var out []*table
	find := func(name string) *table {
		if i := slices.IndexFunc(out, func(t *table) bool { return t.name == name }); i >= 0 {
			return out[i]
		}
		return nil
	}
	for _, m := range migrations {
		for _, sql := range m.Statements(db.Postgres) {
			if c := creating().FindStringSubmatch(sql); c != nil {
				out = append(out, created(c[1], c[2]))
			} else if c := adding().FindStringSubmatch(sql); c != nil && find(c[1]) != nil {
				t := find(c[1])
				t.columns = append(t.columns, columnOf(c[2]))
			} else if c := renaming().FindStringSubmatch(sql); c != nil && find(c[1]) != nil {
				for i := range find(c[1]).columns {
					if col := &find(c[1]).columns[i]; col.name == c[2] {
						col.name = c[3]
					}
				}
			} else if c := dropping().FindStringSubmatch(sql); c != nil {
				out = slices.DeleteFunc(out, func(t *table) bool { return t.name == c[1] })
			} else if strings.HasPrefix(sql, "ALTER TABLE") {
				return nil, fmt.Errorf("%s changes a table in a way that dump does not know: %s", m.Name, sql)
			}
		}
	}
	return out, nil
}

// created parses the columns and the key of a table.
func created(name, body string) *table {
	t := &table{name: name}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		if m := primaryKey().FindStringSubmatch(line); m != nil {
			for part := range strings.SplitSeq(m[1], ",") {
				t.key = append(t.key, strings.TrimSpace(part))
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "UNIQUE") {
			continue
		}
		c := columnOf(line)
		t.columns = append(t.columns, c)
		if strings.Contains(line, "PRIMARY KEY") {
			t.key = []string{c.name}
		}
	}
	return t
}

func columnOf(declaration string) column {
	parts := strings.Fields(declaration)
	return column{
		name: parts[0], text: len(parts) > 1 && parts[1] == "TEXT",
		null: !strings.Contains(declaration, "NOT NULL") && !strings.Contains(declaration, "PRIMARY KEY"),
	}
}
