// Package forge talks to a code host with the REST API of GitHub: GitHub itself, GitHub Enterprise,
// and Gitea and Forgejo, whose API differs in a few places. It makes its few calls itself: GitHub's
// public client library would make the program a megabyte larger and slower to start.
package forge

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/site"
	"tasker/internal/sync/codehost"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// Options configures a client.
type Options struct {
	URL   string
	Token string
	Trust site.Trust // hosts other than GitHub that may get the token
	// Pause waits; nil uses the clock.
	Pause func(ctx context.Context, d time.Duration) error
}

// Client is a code host.
type Client struct {
	Options
	site.Passed
	rest  *site.Client
	site  string
	gitea *bool // nil until known
}

var _ codehost.Host = (*Client)(nil)

// The limits of lists. By default Gitea returns at most 50 items per page.
const (
	pageSize  = 100
	giteaPage = 50
	maxPages  = 100_000
	maxCommit = 3 // pages of commits of a pull request
	maxText   = 64 << 10
)

// GitHub is the site whose API has its own host.
const GitHub = "https://github.com"

// New returns the client of a site. It sends nothing yet.
func New(o Options) (*Client, error) {
	ro := site.Options{Name: "code host", Example: GitHub, URL: o.URL, Variable: "TASKER_CODE_HOST_URL", Trust: o.Trust.And(GitHub), Secrets: []string{o.Token}, Said: said, Pause: o.Pause, Authorize: func(req *http.Request) {
		req.Header.Set("Authorization", "token "+o.Token)
	}}
	c, err := site.New(ro)
	if err != nil {
		return nil, err
	}
	out := &Client{Options: o, rest: c, site: c.URL}
	if strings.EqualFold(c.URL, GitHub) {
		c.URL = "https://api.github.com"
		out.gitea = new(bool)
	}
	return out, nil
}

// Site returns the address.
func (c *Client) Site() string { return c.site }

// said extracts the message of an error response.
func said(answer []byte) []string {
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &said) != nil || said.Message == "" {
		return nil
	}
	return []string{said.Message}
}

// dialect finds out, once, which form of the API a site speaks: Gitea reports its version, and
// GitHub Enterprise has nothing at that path.
func (c *Client) dialect(ctx context.Context) (gitea bool, err error) {
	if c.gitea != nil {
		return *c.gitea, nil
	}
	var v struct {
		Version string `json:"version"`
	}
	_, err = c.rest.Get(ctx, "/api/v1/version", &v)
	if err != nil && !site.ProblemOf(err).Missing {
		return false, err
	}
	c.gitea = new(err == nil)
	if c.rest.URL += "/api/v3"; *c.gitea {
		c.rest.URL = c.site + "/api/v1"
	}
	return *c.gitea, nil
}

func (c *Client) get(ctx context.Context, path string, ask url.Values, into any) (http.Header, error) {
	if len(ask) > 0 {
		path += "?" + ask.Encode()
	}
	header, err := c.rest.Get(ctx, path, into)
	return header, of(path, err)
}

// of adds the repository to the problem of a request.
func of(path string, err error) error {
	var p *site.Problem
	if parts := strings.SplitN(path, "/", 5); errors.As(err, &p) && len(parts) > 3 && parts[1] == "repos" {
		p.Of, _, _ = strings.Cut(parts[2]+"/"+parts[3], "?")
	}
	return err
}

var repoName = words.Pattern(`^[\w.-]+/[\w.-]+$`)

func repoPath(repo string) (string, error) {
	if !repoName().MatchString(repo) {
		return "", &site.Problem{Message: words.Quoted(repo) + " is not a repository, such as owner/name", ForGood: true}
	}
	return "/repos/" + repo, nil
}

// at returns the path of a repository, and which form of the API its site speaks.
func (c *Client) at(ctx context.Context, repo string) (path string, gitea bool, err error) {
	if path, err = repoPath(repo); err == nil {
		gitea, err = c.dialect(ctx)
	}
	return path, gitea, err
}

// paged requests the pages of a list. Each answer says whether another follows; each reports
// whether it has seen enough.
func paged[T any](ctx context.Context, c *Client, path string, ask url.Values, each func([]site.Item[T]) (enough bool, err error)) error {
	gitea, err := c.dialect(ctx)
	if err != nil {
		return err
	}
	sized(ask, gitea)
	for page := 1; page <= maxPages; page++ {
		ask.Set("page", strconv.Itoa(page))
		var list []site.Item[T]
		header, err := c.get(ctx, path, ask, &list)
		if err != nil {
			return err
		}
		enough, err := each(list)
		if err != nil || enough || !strings.Contains(header.Get("Link"), `rel="next"`) {
			return err
		}
		if len(list) == 0 {
			return &site.Problem{Message: "the code host says that there is more, but gives nothing"}
		}
	}
	return &site.Problem{Message: "the code host gives pages without end", ForGood: true}
}

// sized asks for pages of the largest size, and returns what is asked.
func sized(ask url.Values, gitea bool) url.Values {
	if gitea {
		ask.Set("limit", strconv.Itoa(giteaPage))
	} else {
		ask.Set("per_page", strconv.Itoa(pageSize))
	}
	return ask
}

// pull is a pull request in an answer.
type pull struct {
	Number  int64     `json:"number"`
	Title   string    `json:"title"`
	Body    string    `json:"body"`
	State   string    `json:"state"`
	URL     string    `json:"html_url"`
	Updated time.Time `json:"updated_at"`
	Merged  time.Time `json:"merged_at"`
	Commit  string    `json:"merge_commit_sha"`
	Head    end       `json:"head"`
	Base    end       `json:"base"`
}

type end struct {
	Ref  string `json:"ref"`
	SHA  string `json:"sha"`
	Repo struct {
		Name string `json:"full_name"`
	} `json:"repo"` // missing if a fork was deleted
}

// layout of times, in a form that sorts.
const layout = "2006-01-02T15:04:05.000Z"

// whole refuses an issue or a pull request that lacks what both must have.
func whole(what string, number int64, updated time.Time, state string) error {
	switch {
	case number <= 0:
		return lacking(what, "a number")
	case updated.IsZero():
		return lacking(what, "the time of its last change")
	case state != "open" && state != "closed":
		return lacking(what, "a state")
	}
	return nil
}

func lacking(what, part string) error {
	return &site.Problem{Message: "the code host gives " + what + " without " + part}
}

func (p *pull) request(repo string) (merge.Request, error) {
	if err := whole("a pull request", p.Number, p.Updated, p.State); err != nil {
		return merge.Request{}, err
	}
	if p.Head.Ref == "" || !strings.EqualFold(p.Base.Repo.Name, repo) {
		return merge.Request{}, lacking("a pull request", "its branch in "+repo)
	}
	out := merge.Request{
		Repo: repo, Number: p.Number, Title: words.Cut(p.Title, maxText), Text: words.Cut(p.Body, maxText), URL: p.URL, Branch: p.Head.Ref, Head: p.Head.SHA,
		Fork: !strings.EqualFold(p.Head.Repo.Name, p.Base.Repo.Name), State: merge.RequestOpen, Updated: p.Updated.UTC().Format(layout),
	}
	switch {
	case !p.Merged.IsZero():
		out.State, out.Merge = merge.RequestMerged, p.Commit
	case p.State == "closed":
		out.State = merge.RequestClosed
	}
	return out, nil
}

// Requests yields pull requests page by page, the most recently changed first. A request that
// changes in the meantime moves to the front, so that others may come twice but none is missed.
func (c *Client) Requests(ctx context.Context, q codehost.Query, yield func([]merge.Request) error) error {
	path, gitea, err := c.at(ctx, q.Repo)
	if err != nil {
		return err
	}
	ask := url.Values{"state": {"all"}, "sort": {"updated"}, "direction": {"desc"}}
	if gitea {
		ask = url.Values{"state": {"all"}, "sort": {"recentupdate"}}
	}
	return paged(ctx, c, path+"/pulls", ask, func(list []site.Item[pull]) (enough bool, err error) {
		out, passed := make([]merge.Request, 0, len(list)), false
		for i := range list {
			if list[i].Shows {
				c.over(q.Repo, list[i].Name)
				passed = true
				continue
			}
			r, err := list[i].Value.request(q.Repo)
			if err != nil {
				return false, err
			}
			if r.Updated >= q.Since {
				out = append(out, r)
			}
		}
		return len(out) == 0 && !passed, yield(out) // a page may be out of order: only a page that is entirely old ends the list
	})
}

// over records that an issue or a pull request is skipped.
func (c *Client) over(repo, number string) {
	c.Over(words.Either(number == "", "a record of "+repo, repo+"#"+number))
}

// Request returns one pull request.
func (c *Client) Request(ctx context.Context, repo string, number int64) (merge.Request, error) {
	path, _, err := c.at(ctx, repo)
	if err != nil {
		return merge.Request{}, err
	}
	var p pull
	if _, err := c.get(ctx, path+"/pulls/"+strconv.FormatInt(number, 10), nil, &p); err != nil {
		return merge.Request{}, err
	}
	return p.request(repo)
}

// Messages returns the messages of the commits of a pull request, up to the first few hundred.
func (c *Client) Messages(ctx context.Context, repo string, number int64) (out []string, err error) {
	path, err := repoPath(repo)
	if err != nil {
		return nil, err
	}
	type commit struct {
		Commit struct {
			Message string `json:"message"`
		} `json:"commit"`
	}
	pages := 0
	err = paged(ctx, c, path+"/pulls/"+strconv.FormatInt(number, 10)+"/commits", url.Values{}, func(list []site.Item[commit]) (bool, error) {
		for _, one := range list {
			if one.Shows {
				c.Over("a commit of " + repo + "#" + strconv.FormatInt(number, 10))
			}
			out = append(out, words.Cut(one.Value.Commit.Message, maxText))
		}
		pages++
		return pages == maxCommit, nil
	})
	return out, err
}

// Checks returns the results of the checks of a commit: the statuses reported for it, and on GitHub
// its check runs.
func (c *Client) Checks(ctx context.Context, repo, commit string) (out merge.Checks, err error) {
	path, gitea, err := c.at(ctx, repo)
	if err != nil {
		return out, err
	}
	at := path + "/commits/" + url.PathEscape(commit)
	var combined struct {
		Total    int `json:"total_count"`
		Statuses []site.Item[struct {
			State  string `json:"state"`
			Status string `json:"status"` // Gitea's name for it
		}] `json:"statuses"`
	}
	size := sized(url.Values{}, gitea)
	if _, err := c.get(ctx, at+"/status", size, &combined); err != nil {
		return out, err
	}
	out.Total = max(combined.Total, len(combined.Statuses)) // statuses that did not fit on the page count as not passed
	for _, s := range combined.Statuses {
		if s.Value.State == "success" || s.Value.Status == "success" {
			out.Passed++
		}
	}
	if gitea {
		return out, nil
	}
	var runs struct {
		Total int `json:"total_count"`
		Runs  []site.Item[struct {
			Status     string `json:"status"`
			Conclusion string `json:"conclusion"`
		}] `json:"check_runs"`
	}
	if _, err := c.get(ctx, at+"/check-runs", size, &runs); err != nil {
		return out, err
	}
	out.Total += max(runs.Total, len(runs.Runs))
	for _, r := range runs.Runs {
		switch r := r.Value; {
		case r.Status != "completed":
		case r.Conclusion == "success":
			out.Passed++
		case r.Conclusion == "skipped" || r.Conclusion == "neutral": // neither passed nor failed
			out.Total--
		}
	}
	return out, nil
}

// HasBranch reports whether a repository has a branch.
func (c *Client) HasBranch(ctx context.Context, repo, branch string) (bool, error) {
	path, _, err := c.at(ctx, repo)
	if err != nil {
		return false, err
	}
	_, err = c.get(ctx, path+"/branches/"+url.PathEscape(branch), nil, nil)
	if err != nil && site.ProblemOf(err).Missing {
		return false, nil
	}
	return err == nil, err
}
