package syncer

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/links"
	"tasker/internal/site"
	"tasker/internal/sync/codehost"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// HostLink is a project's code host, and its listed repositories.
type HostLink struct {
	Site  string // set even without a host, when the refusal says why
	Host  codehost.Host
	Repos []string
}

// The limits of a pull from a code host.
const (
	// maxMessages is the number of pull requests whose commit messages one pull reads: each takes one
	// HTTP request.
	maxMessages = 200
	// fresh is how long before the newest change a request may have last changed for its commit
	// messages to be read.
	fresh = 30 * 24 * time.Hour
	// stampLayout is how a code host's times are written.
	stampLayout = "2006-01-02T15:04:05.000Z"
)

// PullHost reads what has changed at the code host and applies it to the tasks concerned.
func (s *Syncer) PullHost(ctx context.Context, project string, dryRun bool, progress func(read int)) (links.Pulled, error) {
	return s.pull(ctx, project, merge.CodeHost, dryRun, progress, func(begin links.StandingOut) (source, error) {
		link, err := s.OpenHost(ctx, project)
		if err != nil {
			return source{site: link.Site}, err
		}
		if !merge.SameSite(begin.Health.URL, link.Host.Site()) {
			begin.Health.Marks = nil // they belong to another site
		}
		r := &hostReader{
			Host: link.Host, project: project, begin: begin, seen: map[string]bool{}, marks: map[string]string{}, bound: map[string]bool{},
		}
		return source{
			site: link.Host.Site(), marks: r.marks,
			read: func(ctx context.Context, into io.Writer, count func(int)) error {
				r.into, r.count = into, count
				return r.read(ctx, link.Repos)
			},
			apply: func(from io.Reader, out *links.Pulled) error {
				if err := s.bring(ctx, project, from, r.branches, dryRun, out); err != nil {
					return err
				}
				out.Warnings = append(append(out.Warnings, r.warnings...), link.Host.Warnings()...)
				return nil
			},
		}, nil
	})
}

// bring applies what the pull has stored, then looks again at merged requests whose tasks are still
// open.
func (s *Syncer) bring(ctx context.Context, project string, from io.Reader, branches []links.Branch, dryRun bool, out *links.Pulled) error {
	do := func(in links.RequestsIn) (links.MergeOut, error) {
		in.Project, in.DryRun = project, dryRun
		got, err := s.Links.Requests(core.Doing(ctx, "sync-requests"), in)
		out.Unchanged += got.Unchanged
		add(out, got)
		return got, err
	}
	err := portions(from, func(page []merge.Request) error {
		_, err := do(links.RequestsIn{Requests: page})
		return err
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(branches, portion) {
		if _, err := do(links.RequestsIn{Branches: some}); err != nil {
			return err
		}
	}
	for after := int64(0); ; {
		got, err := do(links.RequestsIn{After: after})
		if err != nil || got.Next == 0 {
			return err
		}
		after = got.Next
	}
}

// hostReader reads what a pull from a code host needs, and stores what may concern a task.
type hostReader struct {
	codehost.Host
	project string
	begin   links.StandingOut
	into    io.Writer
	count   func(int)

	bound    map[string]bool // refs of bindings
	seen     map[string]bool // refs that were read
	marks    map[string]string
	messages int // how many were read
	branches []links.Branch
	warnings []string
}

func (r *hostReader) read(ctx context.Context, repos []string) error {
	fresh := map[string]bool{} // repositories with a newly bound branch, which may have old requests
	for _, b := range r.begin.Bound {
		r.bound[b.Ref] = true
		if b.New && b.Kind == "branch" {
			fresh[b.Group] = true
		}
	}
	for _, repo := range repos {
		q := codehost.Query{Repo: repo}
		if mark, err := time.Parse(stampLayout, r.begin.Health.Marks[repo]); err == nil && !fresh[repo] {
			q.Since = mark.Add(-overlap).Format(stampLayout)
		}
		if err := r.repo(ctx, q); err != nil {
			return err
		}
	}
	if r.messages > maxMessages {
		r.warnings = append(r.warnings, fmt.Sprintf("the commits of %d pull requests were not searched for trailers: a pull reads those of %d",
			r.messages-maxMessages, maxMessages))
	}
	for _, b := range r.begin.Bound {
		if r.seen[b.Ref] || b.State == merge.RequestMerged {
			continue
		}
		if !slices.Contains(repos, b.Group) {
			r.warnings = append(r.warnings, b.Ref+" is no longer in a listed repository: it is left alone")
			continue
		}
		if err := r.single(ctx, b.Group, b); err != nil {
			return err
		}
	}
	return nil
}

// repo reads the changed requests of a repository.
func (r *hostReader) repo(ctx context.Context, q codehost.Query) error {
	r.marks[q.Repo] = r.begin.Health.Marks[q.Repo]
	return r.Requests(ctx, q, func(page []merge.Request) error {
		for i := range page {
			r.marks[q.Repo] = max(r.marks[q.Repo], page[i].Updated)
		}
		for i := range page {
			if err := r.put(ctx, &page[i]); err != nil {
				return err
			}
		}
		r.count(len(page))
		return nil
	})
}

// put stores a request if it is about a task, with what the lists lack: commit messages and checks.
func (r *hostReader) put(ctx context.Context, one *merge.Request) (err error) {
	r.seen[one.Ref()], r.seen[one.BranchRef()] = true, true
	named := len(one.Named(r.project, r.begin.BranchPrefix)) > 0
	if !named && r.isFresh(one) {
		if r.messages++; r.messages <= maxMessages {
			if one.Messages, err = r.Messages(ctx, one.Repo, one.Number); err != nil {
				return r.unless(one.Ref(), err)
			}
			named = len(one.Named(r.project, r.begin.BranchPrefix)) > 0
		}
	}
	named = named || r.bound[one.Ref()] || r.bound[one.BranchRef()]
	if !named && len(one.Mentioned(r.project)) == 0 {
		return nil
	}
	if named && one.State == merge.RequestMerged && !one.Fork && one.Head != "" {
		if one.Checks, err = r.Checks(ctx, one.Repo, one.Head); err != nil {
			return r.unless(one.Ref(), err)
		}
	}
	return json.MarshalWrite(r.into, one)
}

// unless skips a request if the error says that an answer about it contains one of our credentials.
func (r *hostReader) unless(ref string, err error) error {
	if !site.ProblemOf(err).Shows {
		return err
	}
	r.Over(ref)
	return nil
}

// isFresh reports whether a request changed shortly before the newest change of its repository.
func (r *hostReader) isFresh(one *merge.Request) bool {
	newest, err := time.Parse(stampLayout, r.marks[one.Repo])
	return err == nil && one.Updated >= newest.Add(-fresh).Format(stampLayout)
}

// single requests the record of one binding that was in no list.
func (r *hostReader) single(ctx context.Context, repo string, b links.Bound) error {
	if b.Kind == "branch" {
		there, err := r.HasBranch(ctx, repo, strings.TrimPrefix(b.Ref, repo+"@"))
		if err != nil {
			return err
		}
		r.branches = append(r.branches, links.Branch{Ref: b.Ref, State: words.Either(there, merge.RequestOpen, merge.RequestClosed)})
		return nil
	}
	if !b.New {
		return nil // it would have been listed
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(b.Ref, repo+"#"), 10, 64)
	if err != nil {
		return nil //nolint:nilerr // not the number of a request
	}
	one, err := r.Request(ctx, repo, number)
	if err != nil && site.ProblemOf(err).Missing {
		r.warnings = append(r.warnings, b.Ref+" does not exist at the code host, or we may not see it: its task is left alone")
		return nil
	}
	if err != nil {
		return r.unless(b.Ref, err)
	}
	r.count(1)
	return r.put(ctx, &one)
}
