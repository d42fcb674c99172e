package planning

import (
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
	Changes map[string]task.Delta `json:"changes"` // by field; empty if everything was so already
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
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var extra struct {
		Changes map[string]task.Delta `json:"changes"`
	}
	if err := json.Unmarshal(src, &extra); err != nil {
		return err
	}
	e.Changes = extra.Changes
	return json.Unmarshal(src, &e.Written)
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (w *Written) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var extra struct {
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(src, &extra); err != nil {
		return err
	}
	w.Warnings = extra.Warnings
	return json.Unmarshal(src, &w.Task)
}
