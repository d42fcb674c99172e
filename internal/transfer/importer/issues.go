package importer

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"tasker/internal/task"
)

// issue is an issue as GitHub and Gitea write it, in their APIs and in `gh issue list --json`.
type issue struct {
	Number    int64     `json:"number"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	State     string    `json:"state"`
	Reason    string    `json:"stateReason"`
	ReasonAPI string    `json:"state_reason"`
	Labels    []named   `json:"labels"`
	Assignees []named   `json:"assignees"`
	Milestone milestone `json:"milestone"`
	Due       string    `json:"due_date"`
	URL       string    `json:"url"`
	Page      string    `json:"html_url"`
	Comments  remarks   `json:"comments"`
	Pull      *struct{} `json:"pull_request"`
	ParentURL string    `json:"parent_issue_url"`
	Parent    numbered  `json:"parent"`
	BlockedBy blockers  `json:"blockedBy"`
}

type blockers struct {
	Nodes upTo[numbered] `json:"nodes"`
}

type numbered struct {
	Number int64 `json:"number"`
}

type milestone struct {
	Title string `json:"title"`
	Due   string `json:"dueOn"`
	DueOn string `json:"due_on"`
}

type remark struct {
	Author    named  `json:"author"`
	User      named  `json:"user"`
	Body      string `json:"body"`
	Created   string `json:"createdAt"`
	CreatedAt string `json:"created_at"`
}

var issueStatus = map[string]task.Status{"open": task.Open, "closed": task.Done}

// readIssues returns a reader of issues that puts a prefix before their keys.
func readIssues(prefix string) func(*Batch, File) {
	return func(b *Batch, f File) {
		eachJSON(b, f, func(where string, v *issue) {
			if v.Number <= 0 {
				b.fault(where, "it has no number")
				return
			}
			if v.Pull != nil || strings.Contains(v.Page+v.URL, "/pull/") || strings.Contains(v.Page, "/pulls/") {
				b.leave(prefix+strconv.FormatInt(v.Number, 10), "pull request", v.Title)
				return
			}
			b.add(v.item(b, where, prefix))
		})
	}
}

func (v *issue) item(b *Batch, where, prefix string) Item {
	key := func(n int64) string { return b.key(prefix + strconv.FormatInt(n, 10)) }
	it := Item{
		Where: where, Key: key(v.Number), Title: v.Title, Body: strings.TrimSpace(strings.ReplaceAll(v.Body, "\r\n", "\n")),
		Due: cmp.Or(moment(v.Due), moment(v.Milestone.Due+v.Milestone.DueOn)),
	}
	it.Status = b.status(it.Key, v.State, issueStatus)
	if reason := strings.ToLower(v.Reason + v.ReasonAPI); it.Status == task.Done && (reason == "not_planned" || reason == "duplicate") {
		it.Status = task.Cancelled
	}
	it.Criteria = checklist(it.Body)
	for i, a := range texts(v.Assignees) {
		if i == 0 {
			it.Actor = a
		} else {
			b.leave(it.Key, "assignee", a)
		}
	}
	b.leave(it.Key, "milestone", v.Milestone.Title)
	leaveAll(b, it.Key, "label", v.Labels)
	it.link(cmp.Or(v.Page, v.URL))
	if n, err := strconv.ParseInt(path.Base(v.ParentURL), 10, 64); err == nil {
		it.Parent = key(n)
	} else if v.Parent.Number > 0 {
		it.Parent = key(v.Parent.Number)
	}
	for _, d := range v.BlockedBy.Nodes {
		it.Deps = append(it.Deps, key(d.Number))
	}
	for _, c := range v.Comments {
		it.note(said(string(cmp.Or(c.Author, c.User)), c.Created+c.CreatedAt, c.Body))
	}
	return it
}
