package rows

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// Lists are stored as JSON text. Lists of texts and criteria are in most rows, so the form in which we write them is
// read here without a decoder: with one, "GET ready" of make bench takes 26 % more processor time and allocates 28 %
// more, and "GET board" takes 55 % more and allocates almost four times as much. Any other form is left to the decoder.

// DecodeJSON reads a JSON column; the empty text is an empty value.
func DecodeJSON(s string, into any) error {
	if s == "" {
		return nil
	}
	return json.Unmarshal([]byte(s), into)
}

// DecodeTexts reads a list of texts.
func DecodeTexts(s string) (out []string, err error) {
	if s == "" {
		return nil, nil
	}
	c := cutter{rest: s}
	out = make([]string, 0, 4)
	c.skip("[")
	for c.ok() {
		out = append(out, c.text())
		if c.rest == "]" && c.ok() {
			return out, nil
		}
		c.skip(",")
	}
	out = nil
	return out, DecodeJSON(s, &out)
}

// decodeCriteria reads a list of criteria.
func decodeCriteria(s string) (out []task.Criterion, err error) {
	if s == "" {
		return nil, nil
	}
	c := cutter{rest: s}
	out = make([]task.Criterion, 0, strings.Count(s, "{"))
	c.skip("[")
	for c.ok() {
		var one task.Criterion
		c.skip(`{"index":`)
		one.Index = c.number()
		c.skip(`,"text":`)
		one.Text = c.text()
		if one.Checked = strings.HasPrefix(c.rest, ticked); one.Checked {
			c.skip(ticked)
			one.CheckedBy = task.Opt(c.text())
			c.skip(`,"checkedAt":`)
			one.CheckedAt = c.moment()
			one.By, one.Rests, one.Note, one.Doubt = c.basis()
			c.skip(`}`)
		} else {
			c.unticked()
		}
		out = append(out, one)
		if c.rest == "]" && c.ok() {
			return out, nil
		}
		c.skip(",")
	}
	out = nil
	err = DecodeJSON(s, &out)
	for i := range out {
		if out[i].Checked && out[i].Rests == "" {
			out[i].Rests = task.RestsOnNothing
		}
	}
	return out, err
}

// unticked cuts what follows the text of a criterion without a tick.
func (c *cutter) unticked() {
	for _, form := range unticked {
		if rest, ok := strings.CutPrefix(c.rest, form); ok {
			c.rest = rest
			return
		}
	}
	c.bad = true
}

// basis cuts what a tick rests on. Ticks stored before they could name anything rest on nothing.
func (c *cutter) basis() (by task.EvidenceID, rests, note, doubt task.Opt) {
	if strings.HasPrefix(c.rest, "}") {
		return 0, task.RestsOnNothing, "", ""
	}
	if strings.HasPrefix(c.rest, byNone) {
		c.skip(byNone)
	} else {
		c.skip(`,"by":`)
		by = task.EvidenceID(c.number())
	}
	c.skip(`,"rests":`)
	rests = task.Opt(c.text())
	if strings.HasPrefix(c.rest, noteNone) {
		c.skip(noteNone)
	} else if strings.HasPrefix(c.rest, noted) { // a tick stored before it could have a note ends here
		c.skip(noted)
		note = task.Opt(c.text())
	}
	if strings.HasPrefix(c.rest, doubtNone) {
		c.skip(doubtNone)
	} else if strings.HasPrefix(c.rest, doubted) { // or before it could have a doubt
		c.skip(doubted)
		doubt = task.Opt(c.text())
	}
	return by, rests, note, doubt
}

// The parts of a stored criterion that follow its text.
const (
	ticked   = `,"checked":true,"checkedBy":`
	byNone   = `,"by":null`
	noted    = `,"note":`
	noteNone = noted + `null`

	doubted   = `,"doubt":`
	doubtNone = doubted + `null`
)

// unticked are the forms of a criterion without a tick: as it is stored now, and as earlier versions stored it.
var unticked = [...]string{
	`,"checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null,"note":null,"doubt":null}`,
	`,"checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null,"note":null}`,
	`,"checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null}`,
	`,"checked":false,"checkedBy":null,"checkedAt":null}`,
}

// ProgressOf counts a list of criteria without decoding it. With decoding, "GET board" of make bench allocates 2.7
// times as much.
func ProgressOf(b []byte) (p task.Progress, err error) {
	rest, ok := bytes.CutPrefix(b, []byte("["))
	for ok {
		if rest, ok = bytes.CutPrefix(rest, []byte(`{"index":`)); !ok {
			break
		}
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			rest = rest[1:]
		}
		rest, ok = bytes.CutPrefix(rest, []byte(`,"text":"`))
		end := bytes.IndexByte(rest, '"')
		if !ok || end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
			break
		}
		p.Total++
		rest = rest[end+1:]
		if bytes.HasPrefix(rest, []byte(ticked)) {
			p.Checked++
			rest, ok = afterTick(rest)
		} else {
			rest, ok = afterUnticked(rest)
		}
		if !ok {
			break
		}
		if string(rest) == "]" {
			return p, nil
		}
		rest, ok = bytes.CutPrefix(rest, []byte(","))
	}
	list, err := decodeCriteria(string(b))
	return task.ProgressOf(list), err
}

// afterTick returns what follows a ticked criterion; rest is what follows its text. It returns false for a note or a doubt
// that only a decoder can read.
func afterTick(rest []byte) ([]byte, bool) {
	end := bytes.IndexByte(rest, '}')
	for _, text := range [...]string{noted, doubted} { // which may have braces
		at := bytes.Index(rest[:max(end, 0)], []byte(text+`"`))
		if at < 0 {
			continue
		}
		rest = rest[at+len(text)+1:]
		quote := bytes.IndexByte(rest, '"')
		if quote < 0 || bytes.IndexByte(rest[:quote], '\\') >= 0 {
			return nil, false
		}
		rest = rest[quote+1:]
		end = bytes.IndexByte(rest, '}')
	}
	return rest[end+1:], end >= 0
}

// afterUnticked returns what follows a criterion without a tick; rest is what follows its text.
func afterUnticked(rest []byte) ([]byte, bool) {
	for _, form := range unticked {
		if len(rest) >= len(form) && string(rest[:len(form)]) == form {
			return rest[len(form):], true
		}
	}
	return nil, false
}

// cutter cuts a text from its beginning. After the first part that is not as expected, it returns only empty values.
type cutter struct {
	rest string
	bad  bool
}

func (c *cutter) ok() bool { return !c.bad }

func (c *cutter) skip(part string) {
	rest, ok := strings.CutPrefix(c.rest, part)
	c.rest, c.bad = rest, c.bad || !ok
}

// text cuts a quoted text without escapes.
func (c *cutter) text() string {
	c.skip(`"`)
	end := strings.IndexByte(c.rest, '"')
	if c.bad || end < 0 || strings.IndexByte(c.rest[:end], '\\') >= 0 {
		c.bad = true
		return ""
	}
	text := c.rest[:end]
	c.rest = c.rest[end+1:]
	return text
}

// moment cuts a quoted time.
func (c *cutter) moment() task.Time {
	at, err := time.Parse(time.RFC3339Nano, c.text())
	c.bad = c.bad || err != nil
	return task.TimeOf(at)
}

// number cuts a whole number above 0.
func (c *cutter) number() int {
	end := 0
	for end < len(c.rest) && c.rest[end] >= '0' && c.rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(c.rest[:end])
	c.bad = c.bad || err != nil || c.rest[0] == '0'
	c.rest = c.rest[end:]
	return n
}
