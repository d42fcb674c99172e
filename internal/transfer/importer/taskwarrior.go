package importer

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// warrior is a task as `task export` writes it.
type warrior struct {
	UUID        string           `json:"uuid"`
	Description string           `json:"description"`
	Status      string           `json:"status"`
	Priority    string           `json:"priority"`
	Project     string           `json:"project"`
	Tags        []named          `json:"tags"`
	Due         string           `json:"due"`
	Start       string           `json:"start"`
	Wait        string           `json:"wait"`
	Recur       string           `json:"recur"`
	Depends     listed           `json:"depends"`
	Annotations upTo[annotation] `json:"annotations"`
}

type annotation struct {
	Entry       string `json:"entry"`
	Description string `json:"description"`
}

// listed is a list of texts, which older versions write as one text with commas.
type listed []string

// UnmarshalJSONFrom reads a list, or a text with commas.
func (l *listed) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if text := tok.String(); text != "" {
			*l = strings.Split(text, ",")
		}
		return err
	}
	return json.UnmarshalDecode(dec, (*[]string)(l))
}

var warriorStatus = map[string]task.Status{
	"pending": task.Open, "waiting": task.Open, "completed": task.Done, "deleted": task.Cancelled,
}

// readTaskwarrior reads `task export`.
func readTaskwarrior(b *Batch, f File) {
	eachJSON(b, f, func(where string, v *warrior) {
		it := Item{Where: where, Key: b.key(v.UUID), Title: v.Description, Due: moment(v.Due), Deps: b.keys(v.Depends)}
		it.Status = b.status(it.Key, v.Status, warriorStatus)
		if v.Start != "" && it.Status == task.Open {
			it.Status = task.InProgress
		}
		if n, ok := priorities[strings.ToLower(v.Priority)]; ok {
			it.Priority = priority(n)
		}
		for _, a := range v.Annotations {
			it.note(said("", moment(a.Entry), a.Description))
		}
		b.leave(it.Key, "project", v.Project)
		b.leave(it.Key, "wait", v.Wait)
		b.leave(it.Key, "recur", v.Recur)
		leaveAll(b, it.Key, "tag", v.Tags)
		b.add(it)
	})
}
