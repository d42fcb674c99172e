// Package jira talks to a Jira site, Cloud or Data Center, through its REST API.
package jira

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/site"
	"tasker/internal/sync/tracker"
)

// Options configures a client.
type Options struct {
	URL    string
	User   string // empty: the token is a personal access token of a Data Center
	Token  string
	Status map[string]string // our status to the site's, by name or id
	Fields map[string]string // ids of custom fields: sprint, rank, severity
	Trust  site.Trust        // hosts that may get the credentials
	// Pause waits; nil uses the clock.
	Pause func(ctx context.Context, d time.Duration) error
	Total time.Duration // of a request; 0: a minute
}

// Client is a Jira site.
type Client struct {
	Options
	site.Passed
	rest  *site.Client
	cloud *bool // nil until known
}

var _ tracker.Tracker = (*Client)(nil)

// The limits of a search.
const (
	pageSize = 100
	maxPages = 100_000
)

// New returns the client of a site. It sends nothing yet.
func New(o Options) (*Client, error) {
	c, err := site.New(site.Options{Name: "tracker", Example: "https://example.atlassian.net", URL: o.URL, Variable: "TASKER_TRACKER_URL", Trust: o.Trust, Authorize: o.authorize, Secrets: []string{o.Token},
		Said: said, Pause: o.Pause, Total: o.Total})
	if err != nil {
		return nil, err
	}
	return &Client{Options: o, rest: c}, nil
}

func (o Options) authorize(req *http.Request) {
	if o.User != "" {
		req.SetBasicAuth(o.User, o.Token)
		return
	}
	req.Header.Set("Authorization", "Bearer "+o.Token)
}

// Site returns the address.
func (c *Client) Site() string { return c.rest.URL }

func (c *Client) get(ctx context.Context, path string, into any) error {
	_, err := c.rest.Get(ctx, path, into)
	return err
}

// said extracts the messages of an error response.
func said(answer []byte) []string {
	var said struct {
		Messages []string          `json:"errorMessages"`
		Errors   map[string]string `json:"errors"`
	}
	if json.Unmarshal(answer, &said) != nil {
		return nil
	}
	list := said.Messages
	for field, text := range said.Errors {
		list = append(list, field+": "+text)
	}
	return slices.Sorted(slices.Values(list))
}

// api returns the prefix of paths: Cloud has version 3, a Data Center version 2.
func (c *Client) api(ctx context.Context) (prefix string, cloud bool, err error) {
	if c.cloud == nil {
		var info struct {
			Deployment string `json:"deploymentType"`
		}
		if err := c.get(ctx, "/rest/api/2/serverInfo", &info); err != nil {
			return "", false, err
		}
		c.cloud = new(strings.EqualFold(info.Deployment, "Cloud"))
	}
	if *c.cloud {
		return "/rest/api/3", true, nil
	}
	return "/rest/api/2", false, nil
}
