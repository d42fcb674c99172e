package jira

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/sync/tracker"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// issue is an issue in an answer.
type issue struct {
	Key    string                    `json:"key"`
	Fields map[string]jsontext.Value `json:"fields"`
}

// fields lists the fields of an issue to request.
func (c *Client) fields() string {
	ids := []string{"summary", "description", "duedate", "priority", "status", "updated"}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		if slices.Contains(custom, name) && c.Fields[name] != "" {
			ids = append(ids, c.Fields[name])
		}
	}
	return strings.Join(ids, ",")
}

// custom lists the fields that are custom fields of a site.
var custom = []string{"sprint", "rank", "severity"}

var projectKey = words.Pattern(`^[A-Z][A-Z0-9_]*$`)

// jql returns a query in Jira's language. It sorts by key, which never changes while pages are
// read.
func jql(q tracker.Query) (string, error) {
	list := make([]string, len(q.Projects))
	for i, p := range q.Projects {
		if !projectKey().MatchString(p) {
			return "", fault.Bad("%s is not the key of a Jira project", words.Quoted(p)).WithHint("such as DEMO; integrations.issue_tracker.projects lists them")
		}
		list[i] = `"` + p + `"`
	}
	recent := fmt.Sprintf(` AND updated >= "-%dm"`, (q.Within+time.Minute-1)/time.Minute) // relative, so that neither our clock nor the user's time zone matters
	return "project in (" + strings.Join(list, ", ") + ")" + words.When(q.Within > 0, recent) + " ORDER BY key ASC", nil
}

// Pages yields issues page by page.
func (c *Client) Pages(ctx context.Context, q tracker.Query, yield func([]merge.Issue) error) error {
	text, err := jql(q)
	if err != nil {
		return err
	}
	prefix, cloud, err := c.api(ctx)
	if err != nil {
		return err
	}
	ask := url.Values{"jql": {text}, "fields": {c.fields()}, "maxResults": {strconv.Itoa(pageSize)}}
	if cloud {
		return c.byToken(ctx, prefix+"/search/jql", ask, yield)
	}
	return c.byOffset(ctx, prefix+"/search", ask, yield)
}

// byToken reads pages as the Cloud returns them: each names the next.
func (c *Client) byToken(ctx context.Context, path string, ask url.Values, yield func([]merge.Issue) error) error {
	last := ""
	for range maxPages {
		var page struct {
			Issues []site.Item[issue] `json:"issues"`
			Next   string             `json:"nextPageToken"`
			Last   *bool              `json:"isLast"`
		}
		if err := c.get(ctx, path+"?"+ask.Encode(), &page); err != nil {
			return err
		}
		if err := c.yield(page.Issues, yield); err != nil {
			return err
		}
		switch {
		case page.Next == "" && page.Last != nil && !*page.Last:
			return &site.Problem{Message: "the tracker says that there is more, but not where"}
		case page.Next == "":
			return nil
		case page.Next == last:
			return &site.Problem{Message: "the tracker keeps giving the same page"}
		}
		last = page.Next
		ask.Set("nextPageToken", last)
	}
	return &site.Problem{Message: "the tracker gives pages without end", ForGood: true}
}

// byOffset reads pages as a Data Center returns them: by how many came before. A deletion in the
// meantime moves the rest forward, so that an issue may be missed: then the count is short, and the
// pull has failed.
func (c *Client) byOffset(ctx context.Context, path string, ask url.Values, yield func([]merge.Issue) error) error {
	start, total := 0, 0
	for range maxPages {
		var page struct {
			Issues []site.Item[issue] `json:"issues"`
			Total  int                `json:"total"`
		}
		ask.Set("startAt", strconv.Itoa(start))
		if err := c.get(ctx, path+"?"+ask.Encode(), &page); err != nil {
			return err
		}
		if page.Total < total {
			return &site.Problem{Message: "issues were deleted while they were read, so some may have been skipped"}
		}
		total = page.Total
		if err := c.yield(page.Issues, yield); err != nil {
			return err
		}
		if start += len(page.Issues); start >= page.Total {
			return nil
		}
		if len(page.Issues) == 0 {
			return &site.Problem{Message: fmt.Sprintf("the tracker gives only %d of %d issues", start, page.Total)}
		}
	}
	return &site.Problem{Message: "the tracker gives pages without end", ForGood: true}
}

func (c *Client) yield(list []site.Item[issue], yield func([]merge.Issue) error) error {
	out := make([]merge.Issue, 0, len(list))
	for _, i := range list {
		if i.Shows {
			c.Over(cmp.Or(i.Name, "an issue of the tracker"))
			continue
		}
		one, err := c.read(i.Value)
		if err != nil {
			return err
		}
		out = append(out, one)
	}
	return yield(out)
}

// Issue returns one issue.
func (c *Client) Issue(ctx context.Context, ref string) (merge.Issue, error) {
	i, err := c.issue(ctx, ref)
	if err != nil {
		return merge.Issue{}, err
	}
	return c.read(i)
}

func (c *Client) issue(ctx context.Context, ref string) (i issue, err error) {
	prefix, _, err := c.api(ctx)
	if err != nil {
		return i, err
	}
	return i, c.get(ctx, prefix+"/issue/"+url.PathEscape(ref)+"?fields="+url.QueryEscape(c.fields()), &i)
}
