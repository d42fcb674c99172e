package plan

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// Field is an optional field of a document. Left out it is not Set and what it stands for stays as it is; given as
// null, empty text or an empty list it is Set to what a task without it has.
type Field[T any] struct {
	Set   bool
	Value T
}

// Give makes a field that is set.
func Give[T any](v T) Field[T] { return Field[T]{Set: true, Value: v} }

// GiveAny makes a field of a value, and one that is not set of a zero value.
func GiveAny[T comparable](v T) Field[T] {
	var none T
	return Field[T]{Set: v != none, Value: v}
}

// GiveList makes a field of a list, and one that is not set of a list without entries.
func GiveList[T any](v []T) Field[[]T] { return Field[[]T]{Set: len(v) > 0, Value: v} }

// IsZero leaves an unset field out of JSON.
func (f Field[T]) IsZero() bool { return !f.Set }

// MarshalJSONTo writes the value.
func (f Field[T]) MarshalJSONTo(enc *jsontext.Encoder) error { return json.MarshalEncode(enc, f.Value) }

// Document is a plan: a project and tasks of it. Gates merge by name; gates given as null forget those of the
// database.
type Document struct {
	Project string                     `json:"project"`
	Name    Field[task.Opt]            `json:"name,omitzero"`
	Vision  Field[task.Opt]            `json:"vision,omitzero"`
	Gates   Field[map[string][]string] `json:"gates,omitzero"` // nil: forget; empty: merge nothing
	Tasks   []TaskDef                  `json:"tasks"`

	checked bool   // by the decoder
	faults  error  // what it found
	src     []byte // what it read
}

// TaskDef is one task definition. Key is empty only in a task to create, which then takes its id for a key; Title
// must be set. An empty status is none given. Evidence is only ever added.
type TaskDef struct {
	Key string `json:"key,omitzero"`
	Fields
	Status   Field[task.Status]         `json:"status,omitzero"`
	Evidence Field[[]task.EvidenceItem] `json:"evidence,omitzero"`
}

// Edit changes fields of one task. AddDeps and RemoveDeps, AddCriteria and RemoveCriteria (by their text) work on
// what Deps and Criteria leave, in that order. ExpectedVersion and Fence, where they are set, are the core's to
// compare.
type Edit struct {
	Fields
	AddDeps         []string `json:"addDeps,omitempty"`
	RemoveDeps      []string `json:"removeDeps,omitempty"`
	AddCriteria     []string `json:"addCriteria,omitempty"`
	RemoveCriteria  []string `json:"removeCriteria,omitempty"`
	ExpectedVersion *int64   `json:"expectedVersion,omitzero"`
	Fence           *int64   `json:"fence,omitzero"`
}

// Marshal writes the document as JSON that Decode reads back as the same. A faulty one is written as it was read,
// so that whoever reads it finds the same faults in the same lines.
func (d *Document) Marshal() ([]byte, error) {
	if d.faults != nil {
		return d.src, nil //nolint:nilerr // they are told where the document is read
	}
	return json.Marshal(d, json.FormatNilMapAsNull(true), json.Deterministic(true))
}

// Marshal writes the definition as JSON that DecodeTask reads back as the same.
func (d *TaskDef) Marshal() ([]byte, error) { return json.Marshal(d) }

// Marshal writes the edit as JSON that DecodeEdit reads back as the same.
func (e *Edit) Marshal() ([]byte, error) { return json.Marshal(e) }
