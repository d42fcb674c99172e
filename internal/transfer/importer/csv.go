package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// csvFields lists the fields that a column can be mapped to.
var csvFields = []string{
	"key", "title", "body", "status", "parent", "deps", "priority", "severity", "due", "criteria", "preferredActor", "links", "notes",
}

var csvStatus = map[string]task.Status{
	"open": task.Open, "todo": task.Open, "to do": task.Open, "backlog": task.Open, "triage": task.Open, "new": task.Open,
	"in_progress": task.InProgress, "in progress": task.InProgress, "started": task.InProgress, "doing": task.InProgress,
	"in_review": task.InReview, "in review": task.InReview, "review": task.InReview,
	"done": task.Done, "closed": task.Done, "completed": task.Done, "resolved": task.Done,
	"cancelled": task.Cancelled, "canceled": task.Cancelled, "duplicate": task.Cancelled, "won't do": task.Cancelled,
}

// sheet is a table with named columns.
type sheet struct {
	b       *Batch
	r       *csv.Reader
	columns []string
}

// openSheet reads the column names, and reports whether there are any.
func openSheet(b *Batch, f File) (*sheet, bool) {
	s := &sheet{b: b, r: csv.NewReader(bytes.NewReader(bytes.TrimPrefix(f.Data, []byte("\ufeff"))))}
	s.r.FieldsPerRecord = -1
	names, err := s.r.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		b.fault("line 1", "%s", csvWords(err))
	}
	s.columns = names
	return s, err == nil
}

// eachRow calls take for every row of a table.
func eachRow(b *Batch, f File, take func(where string, of func(column string) []string)) {
	if s, ok := openSheet(b, f); ok {
		s.each(take)
	}
}

// each calls take for every row, with a function that returns the values of a column without
// blanks.
func (s *sheet) each(take func(where string, of func(column string) []string)) {
	for {
		row, err := s.r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			s.b.fault("line "+strconv.Itoa(wrong.StartLine), "%s", csvWords(err))
			return // the following rows cannot be separated
		}
		line, _ := s.r.FieldPos(0)
		where := "line " + strconv.Itoa(line)
		if len(row) > len(s.columns) {
			s.b.fault(where, "it has %d values for %d columns", len(row), len(s.columns))
			continue
		}
		take(where, func(column string) (out []string) {
			for i, name := range s.columns {
				if i < len(row) && strings.EqualFold(strings.TrimSpace(name), column) && strings.TrimSpace(row[i]) != "" {
					out = append(out, uncover(row[i]))
				}
			}
			return out
		})
	}
}

// uncover removes the apostrophe that keeps a spreadsheet from reading a text as a formula.
func uncover(s string) string {
	if len(s) > 1 && s[0] == '\'' && strings.ContainsRune("=+-@\t\r'", rune(s[1])) {
		return s[1:]
	}
	return s
}

func csvWords(err error) string {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return "this is not valid CSV: " + wrong.Err.Error()
	}
	return "this is not valid CSV: " + first(err.Error())
}

// has reports whether there is a column with the given name.
func (s *sheet) has(column string) bool {
	return slices.ContainsFunc(s.columns, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), column) })
}

// maxNamed is how many characters of column names a refusal shows.
const maxNamed = 300

// named returns the column names, cut to what a person would read.
func (s *sheet) named() string { return words.Cut(words.List(s.columns), maxNamed) }

// readCSV reads a table. It finds columns by the names of our fields, or by the map. A row may
// refer to a task by its title.
func readCSV(b *Batch, f File) {
	mapped := slices.Sorted(maps.Keys(b.columns))
	for _, field := range mapped {
		if !slices.Contains(csvFields, field) {
			b.fault("--map", "%s is not a field; the fields are %s", words.Quoted(field), words.List(csvFields))
			return
		}
	}
	s, ok := openSheet(b, f)
	if !ok {
		return
	}
	column := func(field string) string {
		if c, ok := b.columns[field]; ok {
			return c
		}
		return field
	}
	for _, field := range mapped {
		if c := b.columns[field]; !s.has(c) {
			b.fault("--map", "%s: there is no column %s; the columns are %s", field, words.Quoted(c), s.named())
		}
	}
	if !s.has(column("title")) && !s.has(column("key")) {
		b.fault("line 1", "no column is called title; say which one it is with --map title=COLUMN; the columns are %s", s.named())
		return
	}
	s.each(func(where string, of func(string) []string) {
		b.add(csvItem(b, where, func(field string) []string { return of(column(field)) }))
	})
	b.knowTitles()
}

// knowTitles replaces titles in parents and dependencies with keys. A text that is a key stays.
func (b *Batch) knowTitles() {
	keys, titled := map[string]bool{}, map[string]string{}
	for _, it := range b.Items {
		keys[it.Key] = true
		title := strings.ToLower(strings.TrimSpace(it.Title))
		if _, twice := titled[title]; twice {
			titled[title] = "" // ambiguous
			continue
		}
		titled[title] = it.Key
	}
	known := func(name string) string {
		if key := titled[strings.ToLower(name)]; !keys[name] && key != "" {
			return key
		}
		return name
	}
	for i := range b.Items {
		it := &b.Items[i]
		it.Parent = known(it.Parent)
		for k := range it.Deps {
			it.Deps[k] = known(it.Deps[k])
		}
	}
}

func csvItem(b *Batch, where string, of func(string) []string) Item {
	one := func(field string) string { return firstOf(of(field)) }
	it := Item{
		Where: where, Key: b.key(one("key")), Title: one("title"), Body: one("body"), Actor: one("preferredActor"), Due: moment(one("due")),
		Parent: b.key(one("parent")), Deps: b.keys(parted(of("deps"))),
	}
	if it.Key == "" && it.Title != "" {
		it.Key = "csv:" + wordsOf(it.Title)
	}
	it.Status = b.status(it.Key, one("status"), csvStatus)
	it.Priority = b.urgency(it.Key, one("priority"))
	if s := one("severity"); s != "" {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			b.leave(it.Key, "severity", s)
		}
		it.Severity = task.Severity(n)
	}
	for _, text := range of("criteria") {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch c, ok := checkbox("- " + line); {
			case ok:
				it.Criteria = append(it.Criteria, c)
			case line != "":
				it.Criteria = append(it.Criteria, Criterion{Text: line})
			}
		}
	}
	for _, l := range parted(of("links")) {
		it.link(l)
	}
	for _, n := range of("notes") {
		it.note(strings.TrimSpace(n))
	}
	return it
}

// urgency parses a priority: a number, as P1 or 1, or a word for one.
func (b *Batch) urgency(item, s string) *int {
	s = strings.TrimSpace(s)
	if n, err := strconv.Atoi(strings.TrimLeft(s, "pP")); err == nil {
		return priority(n)
	}
	if strings.EqualFold(s, "no priority") || strings.EqualFold(s, "none") {
		return nil
	}
	return b.rated(item, s)
}

// parted splits values at line breaks, commas and semicolons.
func parted(values []string) []string {
	parts := strings.FieldsFunc(strings.Join(values, "\n"), func(r rune) bool { return r == '\n' || r == ',' || r == ';' })
	return slices.DeleteFunc(words.Each(parts, strings.TrimSpace), func(part string) bool { return part == "" })
}

// readLinear reads the CSV that Linear exports.
func readLinear(b *Batch, f File) {
	eachRow(b, f, func(where string, of func(string) []string) {
		one := func(column string) string { return strings.Join(of(column), " ") }
		it := Item{
			Where: where, Key: b.key(one("ID")), Title: one("Title"), Body: strings.TrimSpace(one("Description")), Actor: one("Assignee"),
			Parent: b.key(one("Parent issue")), Deps: b.keys(parted(of("Blocked by"))), Due: moment(one("Due Date")),
		}
		it.Status = b.status(it.Key, one("Status"), csvStatus)
		switch {
		case one("Canceled") != "":
			it.Status = task.Cancelled
		case one("Completed") != "":
			it.Status = task.Done
		}
		it.Criteria = checklist(it.Body)
		it.Priority = b.urgency(it.Key, one("Priority"))
		for _, column := range []string{"Estimate", "Project", "Labels", "Cycle Name", "Project Milestone", "Related to", "Duplicate of"} {
			b.leave(it.Key, strings.ToLower(column), one(column))
		}
		b.add(it)
	})
}
