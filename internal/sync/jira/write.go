package jira

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tasker/internal/site"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Write sets one field of an issue. It does not retry: callers have an outbox.
func (c *Client) Write(ctx context.Context, ref, field, value string) error {
	prefix, cloud, err := c.api(ctx)
	if err != nil {
		return err
	}
	at := prefix + "/issue/" + url.PathEscape(ref)
	if field == "status" {
		return c.transition(ctx, at, task.Status(value))
	}
	id, v, err := c.encode(ctx, ref, field, value, cloud)
	if err != nil {
		return err
	}
	return c.rest.Send(ctx, http.MethodPut, at, map[string]any{"fields": map[string]any{id: v}})
}

// encode returns a field and its value in the site's form.
func (c *Client) encode(ctx context.Context, ref, field, value string, cloud bool) (id string, v any, err error) {
	switch field {
	case "title":
		return "summary", strings.Join(strings.Fields(value), " "), nil
	case "body":
		switch {
		case value == "":
			return "description", nil, nil
		case cloud:
			return "description", documentOf(value), nil
		}
		return "description", value, nil
	case "due":
		if value == "" {
			return "duedate", nil, nil
		}
		return "duedate", value[:min(len(value), len("2006-01-02"))], nil
	case "priority":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > task.MaxPriority {
			return "", nil, refused("there is no priority %s", words.Quoted(value))
		}
		return "priority", map[string]string{"name": priorities[n]}, nil
	case "severity":
		id = c.Fields["severity"]
		if id == "" {
			return "", nil, refused("no custom field is declared for the severity")
		}
		if value == "" {
			return id, nil, nil
		}
		i, err := c.issue(ctx, ref)
		if err != nil {
			return "", nil, err
		}
		n, _ := strconv.Atoi(value)
		switch raw := i.Fields[id]; {
		case len(raw) > 0 && raw.Kind() == '0':
			return id, n, nil
		case len(raw) > 0 && raw.Kind() == '"':
			return id, value, nil
		}
		return id, map[string]string{"value": value}, nil
	}
	return "", nil, refused("the tracker does not allow writing %s", field)
}

func refused(format string, args ...any) error {
	return &site.Problem{Message: fmt.Sprintf(format, args...), ForGood: true}
}

// transition moves an issue to the status that corresponds to ours: the mapped one, else one of its
// category.
func (c *Client) transition(ctx context.Context, at string, to task.Status) error {
	var now struct {
		Fields struct {
			Status status `json:"status"`
		} `json:"fields"`
	}
	if err := c.get(ctx, at+"?fields=status", &now); err != nil {
		return err
	}
	fits := func(s status) bool {
		if name, ok := c.Status[string(to)]; ok {
			return s.is(name)
		}
		return s.Category.Key == categoryOf(to)
	}
	if fits(now.Fields.Status) {
		return nil
	}
	var list struct {
		Transitions []struct {
			ID string `json:"id"`
			To status `json:"to"`
		} `json:"transitions"`
	}
	if err := c.get(ctx, at+"/transitions", &list); err != nil {
		return err
	}
	for _, t := range list.Transitions {
		if fits(t.To) {
			return c.rest.Send(ctx, http.MethodPost, at+"/transitions", map[string]any{"transition": map[string]string{"id": t.ID}})
		}
	}
	return refused("no transition leads from %s to %s", words.Quoted(now.Fields.Status.Name),
		cmp.Or(c.Status[string(to)], "a status of the category "+categoryOf(to)))
}
