package plan

import (
	"fmt"
	"testing"

	"tasker/internal/task"
)

// large returns a plan of n tasks with one and a half times as many deps, in some of the fields that plans have.
func large(n int) *Document {
	doc := &Document{Project: "demo", Gates: Give(map[string][]string{"ship": {"ci", "review"}})}
	for i := range n {
		d := TaskDef{Key: fmt.Sprintf("task-%c%d", 'a'+i%26, i)}
		d.Title = Give(fmt.Sprintf("Do the thing number %d", i))
		d.Body = Give(task.Opt("What is to be done,\nand why it matters to whom."))
		d.Priority = Give(i % 4)
		d.Criteria = Give([]string{"it works", "it is tested", "it is written down"})
		d.Touches = Give([]string{fmt.Sprintf("internal/part%d/**", i%100)})
		if i%10 == 0 {
			d.Gate = Give(task.Opt("ship"))
		}
		if i > 0 && i%10 != 0 {
			d.Parent = Give(task.Opt(doc.Tasks[i-i%10].Key))
		}
		deps := []string{}
		if i > 0 {
			deps = append(deps, doc.Tasks[i-1].Key)
		}
		if i > 1 && i%2 == 0 {
			deps = append(deps, doc.Tasks[i-2].Key)
		}
		d.Deps = Give(deps)
		doc.Tasks = append(doc.Tasks, d)
	}
	return doc
}

func largeJSON(b *testing.B, n int) []byte {
	src, err := large(n).Marshal()
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func BenchmarkDecode10000(b *testing.B) {
	src := largeJSON(b, 10_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeYAML1000(b *testing.B) {
	src := largeJSON(b, 1_000) // JSON is YAML
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := decodeYAML(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompareNew10000(b *testing.B) {
	doc, err := Decode(largeJSON(b, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		diff, err := Compare(doc, State{Now: 1}, task.Actor{Name: "ada"})
		if err != nil || len(diff.Create) != 10_000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompareUnchanged10000(b *testing.B) {
	doc, err := Decode(largeJSON(b, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	var s memory
	if _, err := s.apply(doc, task.Actor{Name: "ada"}); err != nil {
		b.Fatal(err)
	}
	state := s.state(doc)
	b.ReportAllocs()
	for b.Loop() {
		diff, err := Compare(doc, state, task.Actor{Name: "ada"})
		if err != nil || !diff.Empty() {
			b.Fatal(err)
		}
	}
}
