package importer

import (
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// bead is an issue as `bd export` writes it, one per line.
type bead struct {
	Type        string            `json:"_type"`
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Design      string            `json:"design"`
	Acceptance  string            `json:"acceptance_criteria"`
	Notes       string            `json:"notes"`
	Status      string            `json:"status"`
	Priority    *int              `json:"priority"`
	IssueType   string            `json:"issue_type"`
	Assignee    string            `json:"assignee"`
	Owner       string            `json:"owner"`
	Due         string            `json:"due_at"`
	Estimate    loose             `json:"estimated_minutes"`
	External    string            `json:"external_ref"`
	CloseReason string            `json:"close_reason"`
	Closed      string            `json:"closed_at"`
	Labels      []named           `json:"labels"`
	Deps        upTo[beadDep]     `json:"dependencies"`
	Comments    upTo[beadComment] `json:"comments"`
}

type beadDep struct {
	Issue string `json:"issue_id"`
	On    string `json:"depends_on_id"`
	Type  string `json:"type"`
}

type beadComment struct {
	Author  string `json:"author"`
	Text    string `json:"text"`
	Created string `json:"created_at"`
}

var beadStatus = map[string]task.Status{
	"open": task.Open, "in_progress": task.InProgress, "hooked": task.InProgress, "blocked": task.Open, "closed": task.Done, "pinned": task.Open,
}

// readBeads reads the lines of `bd export`.
func readBeads(b *Batch, f File) {
	eachJSON(b, f, func(where string, v *bead) {
		if v.Type != "" && v.Type != "issue" {
			b.leave(where, "record", v.Type)
			return
		}
		if v.Status == "tombstone" { // a deleted issue
			b.leave(v.ID, "status", v.Status)
			return
		}
		b.add(v.item(b, where))
	})
}

func (v *bead) item(b *Batch, where string) Item {
	it := Item{
		Where: where, Key: b.key(v.ID), Title: v.Title, Body: strings.TrimSpace(v.Description), Actor: v.Assignee,
		Status: b.status(v.ID, v.Status, beadStatus), Due: moment(v.Due), Criteria: criteriaOf(v.Acceptance),
	}
	it.Body = section(it.Body, "Design", v.Design)
	it.Body = section(it.Body, "Notes", v.Notes)
	if v.Priority != nil {
		it.Priority = priority(*v.Priority)
	}
	for _, d := range v.Deps {
		switch on := b.key(d.On); {
		case d.Issue != "" && d.Issue != v.ID:
			b.fault(where, "a dependency of %s is listed among those of %s", d.Issue, v.ID)
		case d.Type == "parent-child" && it.Parent == "":
			it.Parent = on
		case d.Type == "" || d.Type == "blocks":
			it.Deps = append(it.Deps, b.keys([]string{d.On})...)
		default:
			b.leave(v.ID, d.Type, d.On)
		}
	}
	for _, c := range v.Comments {
		it.note(said(c.Author, c.Created, c.Text))
	}
	if v.CloseReason != "" && it.Status.Closed() {
		it.note(said("", "", "Closed: "+v.CloseReason))
	}
	it.link(v.External)
	if v.IssueType != "task" {
		b.leave(v.ID, "type", v.IssueType)
	}
	leaveAll(b, v.ID, "label", v.Labels)
	b.leave(v.ID, "estimate", string(v.Estimate))
	b.leave(v.ID, "closed_at", v.Closed) // here a task closes when the import records it
	return it
}

// note adds a note unless the item has it already.
func (it *Item) note(text string) {
	if text != "" && !slices.Contains(it.Notes, text) {
		it.Notes = append(it.Notes, text)
	}
}

// link adds a link if the reference is an address.
func (it *Item) link(ref string) {
	if ref = strings.TrimSpace(ref); ref == "" {
		return
	}
	it.Links = append(it.Links, task.Link{Kind: words.Either(isAddress(ref), "url", "doc"), Ref: ref})
}

func isAddress(ref string) bool {
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://")
}
