package config

import (
	"strings"
	"testing"

	"tasker/internal/fault"
)

func TestMigrateChangesOnlyWhatItMust(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"lines": {"{\n  \"project\": \"demo\",\n\n  \"gates\": { \"a\":[ ] }\n}\n",
			"{\n  \"version\": 1,\n  \"project\": \"demo\",\n\n  \"gates\": { \"a\":[ ] }\n}\n"},
		"one line":      {`{"project":"demo"}`, `{"version": 1, "project":"demo"}`},
		"spaced":        {`{ "project": "demo" }`, `{ "version": 1, "project": "demo" }`},
		"carriage":      {"{\r\n\t\"project\": \"demo\"\r\n}", "{\r\n\t\"version\": 1,\r\n\t\"project\": \"demo\"\r\n}"},
		"schema first":  {"{\n  \"$schema\": \"s\",\n  \"project\": \"demo\"\n}\n", "{\n  \"$schema\": \"s\",\n  \"version\": 1,\n  \"project\": \"demo\"\n}\n"},
		"schema last":   {"{\n  \"project\": \"demo\",\n  \"$schema\": \"s\"\n}\n", "{\n  \"version\": 1,\n  \"project\": \"demo\",\n  \"$schema\": \"s\"\n}\n"},
		"unknown first": {"{\n  \"old\": {},\n  \"project\": \"demo\"\n}\n", "{\n  \"version\": 1,\n  \"project\": \"demo\"\n}\n"},
		"unknown last":  {"{\n  \"project\": \"demo\",\n  \"old\": [1,\n 2]\n}\n", "{\n  \"version\": 1,\n  \"project\": \"demo\"\n}\n"},
		"unknown amid":  {"{\"project\": \"demo\", \"old\": 1, \"gates\": {}}", "{\"version\": 1, \"project\": \"demo\", \"gates\": {}}"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Migrate(FileName, []byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(m.Out) != c.out {
				t.Errorf("got  %q\nwant %q", m.Out, c.out)
			}
			if e := mustFor(t, one(string(m.Out)), ""); len(e.Notices) != 0 || e.Project != "demo" {
				t.Error("the result is not a file of version 1")
			}
			again, err := Migrate(FileName, m.Out)
			if err != nil || string(again.Out) != string(m.Out) || again.Diff != "" {
				t.Errorf("a second migration changes something: %q %v", again.Diff, err)
			}
		})
	}
}

func TestMigrateShowsTheDifferenceAndWhatItMeans(t *testing.T) {
	m, err := Migrate(".tasker.json", []byte("{\n  \"project\": \"demo\",\n  \"old\": 1,\n  \"gates\": {}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "--- .tasker.json\n+++ .tasker.json\n@@ -1,5 +1,5 @@\n {\n+  \"version\": 1,\n   \"project\": \"demo\",\n-  \"old\": 1,\n   \"gates\": {}\n }\n"
	if m.Diff != want {
		t.Errorf("got\n%s", m.Diff)
	}
	if len(m.Removed) != 1 || m.Removed[0] != "old" || len(m.NowRead) != 1 || m.NowRead[0] != "gates" {
		t.Errorf("removed %v, now read %v", m.Removed, m.NowRead)
	}
}

func TestMigrateRefusesWhatAPersonMustDecide(t *testing.T) {
	for text, says := range map[string]string{
		"{\n\"project\":\"demo\",\"gates\":[]}":           ".tasker.json:2:26: gates: must be",
		"{\n\"project\":\"demo\",\n\"branch\":{\"x\":1}}": ".tasker.json:3:11: branch.x: unknown key",
		`{"gates":{}}`:                     "project: is required",
		`{"version":2,"project":"demo"}`:   "version 2",
		`{"version":1,"projekt":"demo"}`:   "projekt",
		`nonsense`:                         "not valid JSON",
		`[]`:                               "must be an object",
		`{"project":"a","project":"demo"}`: "twice",
	} {
		_, err := Migrate(FileName, []byte(text))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(strings.Join(fault.Of(err).Missing, "\n"), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestInitWritesAValidMinimalFile(t *testing.T) {
	e := mustFor(t, one(string(Init("demo", `o"neil`, "go test ./..."))), "")
	if e.Project != "demo" || len(e.Actors) != 1 || e.Actors[0].Name != `o"neil` || e.Actors[0].Kind != "human" || e.Actors[0].Default || len(e.Notices) != 0 {
		t.Errorf("%+v", e.Config)
	}
	if kinds := e.Gates[InitGate]; len(kinds) != 1 || kinds[0] != "$ go test ./..." {
		t.Errorf("the gate asks for %q", kinds)
	}
	if got := string(Init("demo", "", "")); got != "{\n  \"version\": 1,\n  \"project\": \"demo\"\n}\n" {
		t.Errorf("%q", got)
	}
}
