package planning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/transfer/exporter"
	"tasker/internal/views/reading"
)

// maxRounds is how often the editor reopens a faulty text.
const maxRounds = 20

// inEditor lets a person change the fields of a task as text. The result is one edit of the version that was shown.
func (o *editOptions) inEditor(ctx context.Context, f *frame.Factory, a *frame.Args, id string) error {
	fence := a.Fence(o.fence)
	shown, err := frame.CallWith(a, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return err
	}
	t := shown.Task
	text, before, err := taskText(t)
	if err != nil {
		return err
	}
	draft, err := frame.NewDraft(f, "tasker-"+string(t.ID)+"-*.yaml")
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		left, err := draft.Edit(ctx, text)
		switch {
		case err != nil && round == 0:
			draft.Discard()
			return err
		case err != nil:
			return saved(err, draft)
		}
		left = strings.ReplaceAll(left, "\r\n", "\n")
		if blank(left) || left == text {
			return abandoned(f, draft, t, round)
		}
		left = unmarked(left)
		edit, err := editOf(left, before)
		if err == nil {
			edit.ExpectedVersion, edit.Fence = &t.Version, fence
			var out *planning.Edited
			if out, err = frame.Call(ctx, f, op.Edit, planning.EditIn{Task: string(t.ID), Edit: edit}); err == nil {
				draft.Discard()
				return f.Answer(out, func() { showEdited(ctx, f, out) })
			}
		}
		if kind := fault.Of(err).Kind; kind != fault.Invalid && kind != fault.NotFound && kind != fault.Declined || round == maxRounds {
			return saved(err, draft)
		}
		text = marked(left, fault.Of(err))
	}
}

// saved adds to a refusal where the edited text is saved.
func saved(err error, draft *frame.Draft) error {
	return fault.Of(err).AndHint(fault.Parts("your text is in %s", draft.Path))
}

// abandoned says that nothing was changed. A text that could not be corrected stays in its file.
func abandoned(f *frame.Factory, draft *frame.Draft, t *task.Task, round int) error {
	if round > 0 {
		return saved(fault.Bad("%s was not changed: the text is still at fault", t.ID), draft)
	}
	draft.Discard()
	f.Say("%s was not changed\n", t.ID)
	return nil
}

// blank reports whether a text contains only comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// membersOf returns the members of an object, each in the one form that its value has.
func membersOf(src []byte) (map[string]jsontext.Value, error) {
	out := map[string]jsontext.Value{}
	err := json.Unmarshal(src, &out)
	for name, v := range out {
		err = cmp.Or(err, v.Canonicalize())
		out[name] = v
	}
	return out, err
}

// fieldsOf returns the fields that a task has, in the form of documents.
func fieldsOf(t *task.Task) plan.Fields {
	fields := plan.FieldsOf(t)
	if t.Parent != "" {
		fields.Parent = plan.Give(t.Parent)
	}
	if len(t.Deps) > 0 {
		fields.Deps = plan.Give(words.Each(t.Deps, func(d task.ID) string { return string(d) }))
	}
	return fields
}

// taskText returns a task as the text to edit, with its fields by name in the form of documents. The text is the fields as
// YAML, below the names of the fields it does not have.
func taskText(t *task.Task) (text string, has map[string]jsontext.Value, err error) {
	fields := fieldsOf(t)
	src, err := json.Marshal(fields)
	if err != nil {
		return "", nil, err
	}
	if has, err = membersOf(src); err != nil {
		return "", nil, err
	}
	absent := slices.DeleteFunc(plan.FieldNames(), func(name string) bool {
		_, ok := has[name]
		return ok
	})
	head := fmt.Sprintf("# %s at version %d. Save and close to change it; leave the file as it is, or empty, to change nothing.\n"+
		"# A line that is taken out clears its field.", t.ID, t.Version)
	text, err = exporter.YAML(fields)
	return head + words.When(len(absent) > 0, " It may also have: "+strings.Join(absent, ", ")+".") + "\n" + text, has, err
}

// editOf reads an edited text: a field that differs is changed, and a field that is gone is cleared.
func editOf(text string, before map[string]jsontext.Value) (*plan.Edit, error) {
	src, err := plan.EditYAML([]byte(text))
	if err != nil {
		return nil, err
	}
	if _, err := plan.DecodeEdit(src); err != nil { // at this point faults know their lines
		return nil, err
	}
	after, err := membersOf(src)
	if err != nil {
		return nil, err
	}
	changed := map[string]jsontext.Value{}
	for name, v := range after {
		if string(before[name]) != string(v) {
			changed[name] = v
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			changed[name] = jsontext.Value("null")
		}
	}
	src, err = json.Marshal(changed, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return plan.DecodeEdit(src)
}

// faultMark begins the lines that say what is wrong. They are removed before the text is read again.
const faultMark = "#! "

// markedLine matches a line that says what is wrong.
var markedLine = words.Pattern(`(?m)^` + faultMark + `.*\n?`)

// unmarked returns a text without the lines that say what is wrong.
func unmarked(text string) string { return markedLine().ReplaceAllString(text, "") }

// lineOf finds the line number that a fault names.
var lineOf = words.Pattern(`\bline (\d+)`)

// marked returns a text with its faults written into it: below the line that a fault names, or at the top.
func marked(text string, e *fault.Error) string {
	lines := append([]string{""}, strings.SplitAfter(text, "\n")...) // what is about no line stands above the first
	notes := map[int][]string{}
	all := e.Missing
	if len(all) == 0 || !slices.ContainsFunc(all, lineOf().MatchString) {
		all = append([]string{e.Message}, all...)
	}
	for _, m := range all {
		at := 0
		if found := lineOf().FindStringSubmatch(m); found != nil {
			at, _ = strconv.Atoi(found[1]) // it consists of digits
		}
		at = min(at, len(lines)-1)
		notes[at] = append(notes[at], m)
	}
	if e.Hint != "" {
		notes[0] = append(notes[0], "hint: "+e.Hint)
	}
	var out strings.Builder
	for i, line := range lines {
		out.WriteString(line)
		for n, m := range notes[i] {
			if n == 0 && i > 0 && !strings.HasSuffix(line, "\n") {
				out.WriteString("\n")
			}
			out.WriteString(faultMark + strings.ReplaceAll(m, "\n", " ") + "\n")
		}
	}
	return out.String()
}
