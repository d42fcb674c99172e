package config

import "testing"

func TestDeclareAddsAHumanAndLeavesTheRest(t *testing.T) {
	const bob = `{ "name": "bob", "kind": "human" }`
	for src, want := range map[string]string{
		`{"version": 1, "project": "demo"}`:                 `{"version": 1, "project": "demo",` + "\n  \"actors\": [\n    " + bob + "\n  ]}",
		`{"version": 1, "project": "demo", "actors": [ ] }`: `{"version": 1, "project": "demo", "actors": [` + "\n    " + bob + "\n  ] }",
		`{"version": 1, "actors": [{"name": "ann", "kind": "human"}], "project": "demo"}`: `{"version": 1, "actors": [{"name": "ann", "kind": "human"},` +
			"\n    " + bob + `], "project": "demo"}`,
	} {
		loaded, err := Load(Options{Dir: "/w", Files: memFiles{"/w/.tasker.json": {text: src}}})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := loaded.Declare("bob")
		if !ok || string(got) != want {
			t.Errorf("%s becomes %v\n%s\nand should become\n%s", src, ok, got, want)
			continue
		}
		if _, err := Load(Options{Dir: "/w", Files: memFiles{"/w/.tasker.json": {text: string(got)}}}); err != nil {
			t.Errorf("%s cannot be read: %v", got, err)
		}
	}
	none, err := Load(Options{Dir: "/w", Files: memFiles{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := none.Declare("bob"); ok {
		t.Error("without a file somebody was declared")
	}
}
