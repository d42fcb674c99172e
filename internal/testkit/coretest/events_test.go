package coretest

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

var update = flag.Bool("update", false, "rewrite docs/events.md")

//go:embed testdata/events.md
var eventsHead string

func TestTheReferenceOfEventsIsCurrent(t *testing.T) {
	const page = "../../../docs/events.md"
	var b strings.Builder
	b.WriteString(eventsHead)
	b.WriteString("\n| kind | what happened | payload |\n|---|---|---|\n")
	for _, k := range task.Kinds {
		h, ok := happenings[k]
		if !ok {
			t.Errorf("internal/testkit/coretest/events.go says nothing about %s", k)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k, h.about, h.payload)
	}
	if len(happenings) != len(task.Kinds) {
		t.Errorf("%d kinds are described, and there are %d", len(happenings), len(task.Kinds))
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/events.md is not what the table of events says; run: go test ./internal/testkit/coretest -update")
	}
}

func TestAMemberThatTheReferenceDoesNotHaveIsFound(t *testing.T) {
	for _, c := range []struct {
		kind    task.Kind
		payload string
		want    []string
	}{
		{task.NoteAdded, `{"text":"a","undoes":3}`, nil},
		{task.NoteAdded, `{"text":"a","mood":"b","colour":"c"}`, []string{"colour", "mood"}},
		{task.SyncPushed, `{"system":"s","ref":"r","write":1}`, nil},
		{task.TaskUpdated, `{"title":{}}`, nil},
	} {
		if got := undeclared(c.kind, jsontext.Value(c.payload)); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.kind, c.payload, got, c.want)
		}
	}
}
