package rows

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/task"
)

func TestListsAreReadByHandAsTheDecoderReadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `a "b" \c`, "[", "],", "\u2028<>&", "{}"}))
		texts := rapid.SliceOfN(text, 1, 4).Draw(t, "texts")
		column, err := EncodeList(texts)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeTexts(column); err != nil || !cmp.Equal(got, texts) {
			t.Fatalf("%s reads %q, %v", column, got, err)
		}
		criteria := make([]task.Criterion, len(texts))
		for i, one := range texts {
			criteria[i] = task.Criterion{Index: i + 1, Text: one}
			if rapid.Bool().Draw(t, "checked") {
				criteria[i].Checked, criteria[i].CheckedBy, criteria[i].CheckedAt = true, "alice", 1_700_000_000_123_000
				criteria[i].By = task.EvidenceID(rapid.Int64Range(0, 3).Draw(t, "by"))
				criteria[i].Rests = task.Opt(rapid.SampledFrom([]string{task.RestsOnRun, task.RestsOnSeen, task.RestsOnSaid, task.RestsOnNothing}).Draw(t, "rests"))
				criteria[i].Note = task.Opt(text.Draw(t, "note"))
				criteria[i].Doubt = task.Opt(text.Draw(t, "doubt"))
			}
		}
		if column, err = EncodeList(criteria); err != nil {
			t.Fatal(err)
		}
		if got, err := decodeCriteria(column); err != nil || !cmp.Equal(got, criteria) {
			t.Fatalf("%s reads %+v, %v", column, got, err)
		}
		if got, err := ProgressOf([]byte(column)); err != nil || got != task.ProgressOf(criteria) {
			t.Fatalf("%s counts as %+v, %v", column, got, err)
		}
	})
}

func TestAListThatIsNoneIsRefusedAsTheDecoderRefusesIt(t *testing.T) {
	for _, column := range []string{
		`[`, `]`, `[]`, `["a"`, `["a",]`, `["a"]]`, `["a"] `, `[ "a"]`, `["a","b"]x`, `[1]`, `{"a":1}`, `["a\u0041"]`, `null`,
		`[{"index":1,"text":"a","checked":false,"checkedBy":null,"checkedAt":null}`,
		`[{"index":1,"text":"a","checked":false,"checkedBy":null,"checkedAt":null},]`,
		`[{"index":,"text":"a","checked":false,"checkedBy":null,"checkedAt":null}]`,
		`[{"index":99999999999999999999,"text":"a","checked":false,"checkedBy":null,"checkedAt":null}]`,
		`[{"index":01,"text":"a","checked":false,"checkedBy":null,"checkedAt":null}]`,
		`[{"text":"a","index":1,"checked":false,"checkedBy":null,"checkedAt":null}]`,
		`[{"index":1,"text":"a"}`, `[{"index":1,"text":"a"}]`, `[{"index":1,"text":"a","checked":true,"checkedBy":null,"checkedAt":null}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"soon"}]`, `[{"index":1,"text":"a","checked":true,"checkedBy":`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"}","checkedAt":"2026-01-02T03:04:05.678Z"}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z"},` +
			`{"index":2,"text":"b","checked":false,"checkedBy":null,"checkedAt":null}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":7,"rests":"run"}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":"x","rests":"run"}]`,
		`[{"index":1,"text":"a","checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null},{"index":2,"text":"b"}]`,
		`[{"index":1,"text":"a","checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null,"note":null}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":null,"rests":"seen","note":"}"},` +
			`{"index":2,"text":"b","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":null,"rests":"seen","note":"c"}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":null,"rests":"seen","note":7}]`,
		`[{"index":1,"text":"a","checked":false,"checkedBy":null,"checkedAt":null,"by":null,"rests":null,"note":null,"doubt":null}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":7,"rests":"run","note":null,"doubt":"}"},` +
			`{"index":2,"text":"b","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":null,"rests":"seen","note":"c","doubt":null}]`,
		`[{"index":1,"text":"a","checked":true,"checkedBy":"b","checkedAt":"2026-01-02T03:04:05.678Z","by":7,"rests":"run","note":null,"doubt":7}]`,
	} {
		var texts []string
		wantErr := json.Unmarshal([]byte(column), &texts)
		if got, err := DecodeTexts(column); (err == nil) != (wantErr == nil) || err == nil && !cmp.Equal(got, texts) {
			t.Errorf("%s reads %q, %v, want %q, %v", column, got, err, texts, wantErr)
		}
		var criteria []task.Criterion
		wantErr = json.Unmarshal([]byte(column), &criteria)
		for i := range criteria { // ticks as they were stored before they could name anything
			if criteria[i].Checked && criteria[i].Rests == "" {
				criteria[i].Rests = task.RestsOnNothing
			}
		}
		if got, err := decodeCriteria(column); (err == nil) != (wantErr == nil) || err == nil && !cmp.Equal(got, criteria) {
			t.Errorf("%s reads %+v, %v, want %+v, %v", column, got, err, criteria, wantErr)
		}
		if got, err := ProgressOf([]byte(column)); wantErr == nil && (err != nil || got != task.ProgressOf(criteria)) {
			t.Errorf("%s counts as %+v, %v, want %+v", column, got, err, criteria)
		}
	}
}
