package planning

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestATaskIsReadAsPeopleWriteOneDown(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want written
	}{
		"a title alone": {"Write the parser\n", written{title: "Write the parser"}},
		"everything": {
			"\n# Write the parser\n\nIt reads *plans*.\n\n- [ ] it parses\n  every plan\n* [x] it refuses\n\nDeps: a, demo-2\ndeps: [c]\n\nThe end.\n",
			written{
				title: "Write the parser", body: "It reads *plans*.\n\nThe end.", criteria: []string{"it parses every plan", "it refuses"},
				ticked: []string{"it refuses"}, deps: []string{"a", "demo-2", "c"},
			},
		},
		"from Windows": {
			"\ufeffTitle\r\n\r\nBody\r\n- [ ] one\r\ndeps: a\r\n",
			written{title: "Title", body: "Body", criteria: []string{"one"}, deps: []string{"a"}},
		},
		"code is body": {
			"Title\n\n```\n- [ ] no\ndeps: none\n```\n- plain\n- [ ]\n- [ ] one\n\n    after\n",
			written{title: "Title", body: "```\n- [ ] no\ndeps: none\n```\n- plain\n- [ ]\n\n    after", criteria: []string{"one"}},
		},
	} {
		got, err := readWritten(c.text)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(written{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	if _, err := readWritten("\n \n"); err == nil {
		t.Error("a text without a title is read")
	}
}

func TestAnEditedTextIsTheChangesThatWereMadeInIt(t *testing.T) {
	before := &task.Task{ID: "demo-4", Version: 3, Title: "Write: the parser", Body: "One\n\n  two\nthree", Priority: 1, Due: "2026-03-31",
		Deps: []task.ID{"demo-1"}}
	text, had, err := taskText(before)
	if err != nil {
		t.Fatal(err)
	}
	want := "# demo-4 at version 3. Save and close to change it; leave the file as it is, or empty, to change nothing.\n" +
		"# A line that is taken out clears its field. It may also have: parent, severity, gate, autonomy, preferredActor, mayExecute, touches, criteria, links.\n" +
		"title: \"Write: the parser\"\nbody: |-\n  One\n  \n    two\n  three\ndeps:\n  - demo-1\npriority: 1\ndue: \"2026-03-31\"\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Fatal(diff)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":   {text, `{}`},
		"a comment": {"# hm\n" + text, `{}`},
		"some": {
			"title: Write it\nbody: |-\n  One\n\n    two\n  three\ndeps: [demo-1, b]\npriority: 1\ncriteria:\n  - it parses\n",
			`{"title":"Write it","deps":["demo-1","b"],"due":null,"criteria":["it parses"]}`,
		},
	} {
		e, err := editOf(c.text, had)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := e.Marshal()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.want)
		}
	}
}

func TestAFaultIsMarkedWhereItIs(t *testing.T) {
	for text, want := range map[string]string{
		"title: x\npriority: 9\ndeus: 1\n": "#! hint: correct each place named; nothing was written\n" +
			"title: x\npriority: 9\n#! priority: must be a whole number from 0 to 3, not the number 9 (line 2)\ndeus: 1\n#! deus: unknown key; " +
			"allowed: title, body, parent, deps, priority, severity, due, gate, autonomy, preferredActor, mayExecute, touches, criteria, links, " +
			"addDeps, removeDeps, addCriteria, removeCriteria, expectedVersion, fence; did you mean deps? (line 3)\n",
		"title: [x\n": "#! hint: correct the text there; nothing was written\ntitle: [x\n#! line 1, column 8: sequence end token ']' not found\n",
		"title: x\nstatus: done": "#! hint: correct each place named; nothing was written\ntitle: x\nstatus: done\n" +
			"#! status: is not changed by an edit; move the task instead (line 2)\n",
	} {
		_, err := editOf(text, nil)
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		got := marked(text, fault.Of(err))
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		if again := unmarked(got); again != text && again != text+"\n" {
			t.Errorf("without its marks it is %q, and was %q", again, text)
		}
	}
	if got := marked("a\nb", fault.Decline("no")); got != "#! no\na\nb" {
		t.Errorf("a fault without a place: %q", got)
	}
}
