package config

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
)

// FuzzLoad checks that loading accepts or refuses whatever is in files, database and environment, and that the result
// is consistent: each value shown is the value explained.
func FuzzLoad(f *testing.F) {
	f.Add(minimal, `{}`, `{}`, "30m")
	f.Add(`{"project":"demo","old":1,"notices":{"deprecations":false}}`, ``, ``, "")
	f.Add(`{"version":2}`, `{"version":1}`, `{"gates":{"a.b":["x"]}}`, "0")
	for _, r := range rows() {
		f.Add(place(r.key, r.good), place(r.key, r.bad), `{}`, "x")
	}
	f.Fuzz(func(t *testing.T, file, local, db, env string) {
		_, _ = Migrate(FileName, []byte(file))
		l, err := Load(with(map[string]string{filePath: file, localPath: local}, map[string]string{"TASKER_LEASE": env, "TASKER_PROJECT": env}))
		if err != nil {
			if e := fault.Of(err); e.Kind != fault.Invalid || e.Message == "" || len(e.Missing) == 0 {
				t.Fatalf("the refusal is %+v", e)
			}
			return
		}
		if l.old {
			if m, err := Migrate(FileName, []byte(file)); err == nil {
				if l, err := Load(one(string(m.Out))); err != nil || l.old {
					t.Fatalf("migrated to %s: %v", m.Out, err)
				}
			}
		}
		e, err := l.For("", []byte(db))
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		if b, err := json.Marshal(e.Show()); err != nil || !jsontext.Value(b).IsValid() {
			t.Fatalf("%s: %v", b, err)
		}
		for _, v := range e.Values() {
			x, err := e.Explain(v.Key)
			if err != nil || string(x.Value) != string(v.Value) || x.Layer != v.Layer {
				t.Fatalf("%s is shown as %s by %s: %+v %v", v.Key, v.Value, v.Layer, x, err)
			}
		}
		Commands(e)
	})
}
