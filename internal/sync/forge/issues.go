package forge

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/site"
	"tasker/internal/sync/tracker"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// Issues makes the issues of a code host a tracker.
type Issues struct {
	*Client
	Status map[string]string // our status to open or closed
}

var _ tracker.Tracker = Issues{}

// issue is an issue in an answer. Pull requests are issues too, and are marked as such. A pointer
// is nil if the answer has no such field.
type issue struct {
	Number    int64            `json:"number"`
	Title     *string          `json:"title"`
	Body      given[string]    `json:"body"`
	State     string           `json:"state"`
	Reason    string           `json:"state_reason"`
	Updated   time.Time        `json:"updated_at"`
	Due       given[time.Time] `json:"due_date"` // only Gitea has it
	Request   jsontext.Value   `json:"pull_request"`
	Milestone given[struct {
		Title string `json:"title"`
	}] `json:"milestone"`
}

// given is a value that an answer may lack. Null is its zero value.
type given[T any] struct {
	there bool
	value T
}

// UnmarshalJSONFrom is called only if the answer has the value.
func (g *given[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*g = given[T]{there: true}
	return json.UnmarshalDecode(dec, &g.value)
}

func (i *issue) isRequest() bool { return len(i.Request) > 0 && i.Request.Kind() == '{' }

// read converts an issue to the domain's type.
func (s Issues) read(repo string, i *issue, gitea bool) (merge.Issue, error) {
	if err := whole("an issue", i.Number, i.Updated, i.State); err != nil {
		return merge.Issue{}, err
	}
	out := merge.Issue{
		Ref: repo + "#" + strconv.FormatInt(i.Number, 10), Updated: i.Updated.UTC().Format(layout), Closed: i.State == "closed",
		Values: merge.Values{},
	}
	if i.Title != nil {
		out.Values["title"] = *i.Title
	}
	if i.Body.there {
		out.Values["body"] = strings.TrimRight(strings.ReplaceAll(i.Body.value, "\r\n", "\n"), "\n")
	}
	if i.Milestone.there {
		out.Values["sprint"] = i.Milestone.value.Title
	}
	out.Values["status"] = string(s.own(i))
	if gitea && i.Due.there {
		out.Values["due"] = ""
		if !i.Due.value.IsZero() {
			out.Values["due"] = i.Due.value.Format(time.DateOnly)
		}
	}
	return out, nil
}

// own returns our status for that of an issue: the mapped one, else open, done or cancelled.
func (s Issues) own(i *issue) task.Status {
	for _, own := range task.Statuses {
		if name, ok := s.Status[string(own)]; ok && strings.EqualFold(name, i.State) {
			return own
		}
	}
	switch {
	case i.State == "open":
		return task.Open
	case i.Reason == "not_planned":
		return task.Cancelled
	}
	return task.Done
}

// Pages yields the issues of repositories page by page, in order of creation, which does not change
// in the meantime.
func (s Issues) Pages(ctx context.Context, q tracker.Query, yield func([]merge.Issue) error) error {
	for _, repo := range q.Projects {
		path, gitea, err := s.Client.at(ctx, repo)
		if err != nil {
			return err
		}
		ask := url.Values{"state": {"all"}, "sort": {"created"}, "direction": {"asc"}}
		if gitea {
			ask = url.Values{"state": {"all"}, "sort": {"oldest"}, "type": {"issues"}}
		}
		if q.Within > 0 { // by the site's own clock
			header, err := s.get(ctx, path, nil, nil)
			if err != nil {
				return err
			}
			if now, err := http.ParseTime(header.Get("Date")); err == nil {
				ask.Set("since", now.Add(-q.Within).UTC().Format(time.RFC3339))
			}
		}
		err = paged(ctx, s.Client, path+"/issues", ask, func(list []site.Item[issue]) (bool, error) {
			out := make([]merge.Issue, 0, len(list))
			for i := range list {
				if list[i].Shows {
					s.over(repo, list[i].Name)
					continue
				}
				if list[i].Value.isRequest() {
					continue
				}
				one, err := s.read(repo, &list[i].Value, gitea)
				if err != nil {
					return false, err
				}
				out = append(out, one)
			}
			return false, yield(out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// at returns the path of an issue.
func (s Issues) at(ctx context.Context, ref string) (repo, path string, gitea bool, err error) {
	repo, number, _ := strings.Cut(ref, "#")
	if n, err := strconv.ParseInt(number, 10, 64); err != nil || n <= 0 {
		return "", "", false, &site.Problem{Message: "an issue of a code host is named like owner/name#12", ForGood: true, Missing: true}
	}
	path, gitea, err = s.Client.at(ctx, repo)
	return repo, path + "/issues/" + number, gitea, err
}

// Issue returns one issue.
func (s Issues) Issue(ctx context.Context, ref string) (merge.Issue, error) {
	repo, path, gitea, err := s.at(ctx, ref)
	if err != nil {
		return merge.Issue{}, err
	}
	var i issue
	if _, err := s.get(ctx, path, nil, &i); err != nil {
		return merge.Issue{}, err
	}
	if i.isRequest() {
		return merge.Issue{}, &site.Problem{Message: "it is a pull request, not an issue", ForGood: true, Missing: true}
	}
	return s.read(repo, &i, gitea)
}

// Write sets one field of an issue. It does not retry: callers have an outbox.
func (s Issues) Write(ctx context.Context, ref, field, value string) error {
	_, path, gitea, err := s.at(ctx, ref)
	if err != nil {
		return err
	}
	body := map[string]any{}
	switch {
	case field == "title" || field == "body":
		body[field] = value
	case field == "due" && gitea && value == "":
		body["unset_due_date"] = true
	case field == "due" && gitea:
		body["due_date"] = value[:min(len(value), len(time.DateOnly))] + "T23:59:59Z"
	case field == "status":
		body["state"] = "open"
		if to := task.Status(value); to.Closed() {
			body["state"] = "closed"
			if !gitea {
				body["state_reason"] = map[bool]string{true: "completed", false: "not_planned"}[to == task.Done]
			}
		}
		if name, ok := s.Status[value]; ok {
			body["state"] = strings.ToLower(name)
		}
	default:
		return &site.Problem{Message: "the code host does not allow writing " + field, ForGood: true}
	}
	return of(path, s.rest.Send(ctx, http.MethodPatch, path, body))
}
