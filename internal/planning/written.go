package planning

import (
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict"
	"tasker/internal/task"
)

// Written is a task as a write left it, with warnings for the writer.
type Written struct {
	task.Task
	Warnings []string `json:"warnings"`
}

// MarshalJSONTo writes the members of the task together with the warnings.
func (w *Written) MarshalJSONTo(enc *jsontext.Encoder) error { return strict.EncodeRecord(enc, w) }

// Members writes the members.
func (w *Written) Members(o *strict.Writer) {
	w.Task.Members(o)
	strict.WriteTexts(o, "warnings", w.Warnings)
}

// Edited is a task as an edit left it, with what the edit changed.
type Edited struct {
	Written
	Changes map[string]task.Delta `json:"changes"` // by field; empty if nothing changed
}

// MarshalJSONTo writes the members of the task together with the warnings and changes.
func (e *Edited) MarshalJSONTo(enc *jsontext.Encoder) error { return strict.EncodeRecord(enc, e) }

// Members writes the members.
func (e *Edited) Members(o *strict.Writer) {
	e.Written.Members(o)
	o.Value("changes", e.Changes)
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (e *Edited) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readBoth(dec, &e.Written, &struct {
		Changes *map[string]task.Delta `json:"changes"`
	}{&e.Changes})
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (w *Written) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readBoth(dec, &w.Task, &struct {
		Warnings *[]string `json:"warnings"`
	}{&w.Warnings})
}

// readBoth reads an object as a record, and as the members next to those of the record.
func readBoth(dec *jsontext.Decoder, record, members any) error {
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return cmp.Or(json.Unmarshal(src, members), json.Unmarshal(src, record))
}
