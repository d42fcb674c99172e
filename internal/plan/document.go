package plan

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// Field is an optional field of a document. If it is left out, it is not Set and the stored value stays as it is; given
// as null, an empty text or an empty list, it is Set to what a task without it has.
type Field[T any] struct {
	Set   bool
	Value T
}

// Give returns a field that is set.
func Give[T any](v T) Field[T] { return Field[T]{Set: true, Value: v} }

// GiveAny returns a field with a value, which is not set if the value is zero.
func GiveAny[T comparable](v T) Field[T] {
	var none T
	return Field[T]{Set: v != none, Value: v}
}

// GiveList returns a field with a list, which is not set if the list is empty.
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

// TaskDef is one task definition. Key is empty only in a task to create, which then uses its id as its key; Title must
// be set. An empty status means that none was given. Evidence is only ever added.
type TaskDef struct {
	Key string `json:"key,omitzero"`
	Fields
	Status   Field[task.Status]         `json:"status,omitzero"`
	Evidence Field[[]task.EvidenceItem] `json:"evidence,omitzero"`
}

// Edit changes fields of one task. AddDeps and RemoveDeps, AddCriteria and RemoveCriteria (by their text) apply to the
// result of Deps and Criteria, in that order. The core compares ExpectedVersion and Fence if they are set.
type Edit struct {
	Fields
	AddDeps         []string `json:"addDeps,omitempty"`
	RemoveDeps      []string `json:"removeDeps,omitempty"`
	AddCriteria     []string `json:"addCriteria,omitempty"`
	RemoveCriteria  []string `json:"removeCriteria,omitempty"`
	ExpectedVersion *int64   `json:"expectedVersion,omitzero"`
	Fence           *int64   `json:"fence,omitzero"`
}

// Marshal writes the document as JSON that Decode reads back unchanged. A faulty one is written as it was read, so that
// the next reader finds the same faults on the same lines.
func (d *Document) Marshal() ([]byte, error) {
	if d.faults != nil {
		return d.src, nil //nolint:nilerr // the next reader reports them
	}
	return json.Marshal(d, json.FormatNilMapAsNull(true), json.Deterministic(true))
}

// Marshal writes the definition as JSON that DecodeTask reads back unchanged.
func (d *TaskDef) Marshal() ([]byte, error) { return json.Marshal(d) }

// Marshal writes the edit as JSON that DecodeEdit reads back unchanged.
func (e *Edit) Marshal() ([]byte, error) { return json.Marshal(e) }
