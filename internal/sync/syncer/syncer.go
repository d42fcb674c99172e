// Package syncer keeps tasks in step with other systems: it reads from a tracker and a code host,
// and hands the answers to the services of the core, which decide. A pull writes nothing before
// every page has arrived. It stores the pages in a file, so that it takes the same memory for any
// number of issues.
package syncer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/links"
	"tasker/internal/planning"
	"tasker/internal/site"
	"tasker/internal/sync/tracker"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
	"tasker/internal/unfinished"
)

// Link is a project's tracker, and the projects whose issues count. If none are listed, those that
// tasks are bound to count.
type Link struct {
	Site     string // set even without a tracker, when the refusal says why
	Tracker  tracker.Tracker
	Projects []string
}

// Syncer syncs projects with their trackers. It merges through the service of links, so that every
// rule applies.
type Syncer struct {
	Links *links.Service
	Plans *planning.Service // for an import
	// Open returns the tracker of a project, and OpenHost its code host. A refusal says why there
	// is none.
	Open     func(ctx context.Context, project string) (Link, error)
	OpenHost func(ctx context.Context, project string) (HostLink, error)
}

// overlap is how far before the last pull a pull reads again: trackers take a while to find a
// change, and clocks differ.
const overlap = 10 * time.Minute

// The limits of a pull.
const (
	portion     = 100 // issues merged at once
	maxWarnings = 20
	maxLine     = 1 << 20
	longest     = 30 * time.Minute // to read from one system; each request has its own limit
)

// reading limits the time to read from a system. If that is exceeded, the problem says so.
func reading(ctx context.Context, read func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err := read(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return &site.Problem{Message: fmt.Sprintf("reading what has changed there took longer than %s", longest)}
	}
	return err
}

// source is what a pull reads from.
type source struct {
	site  string
	read  func(ctx context.Context, into io.Writer, count func(int)) error
	apply func(from io.Reader, out *links.Pulled) error // what was read
	marks map[string]string
}

// pull reads what has changed at a system and applies it. It writes nothing before everything has
// arrived. It calls progress, unless nil, with the number of records read. A source that cannot be
// opened has at most its site.
func (s *Syncer) pull(
	ctx context.Context, project, system string, dryRun bool, progress func(read int), open func(links.StandingOut) (source, error),
) (links.Pulled, error) {
	out := links.Pulled{Project: project, System: system}
	begin, err := s.Links.Standing(core.Doing(ctx, "sync-standing"), links.StandingIn{Project: project, System: system})
	if err != nil {
		return out, err
	}
	from, err := open(begin)
	if err != nil {
		return out, errors.Join(err, s.unopened(ctx, project, system, from.site, err, dryRun))
	}
	file, err := unfinished.Nameless(unfinished.Pull)
	if err != nil {
		return out, err
	}
	defer file.Discard()
	count := func(n int) {
		if out.Read += n; progress != nil {
			progress(out.Read)
		}
	}
	if err := reading(ctx, func(ctx context.Context) error { return from.read(ctx, file, count) }); err != nil {
		return out, s.failed(ctx, project, system, from.site, err, dryRun)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return out, err
	}
	if err := from.apply(file, &out); err != nil {
		return out, err
	}
	return out, s.looked(ctx, dryRun, links.LookedIn{
		Project: project, System: system, URL: from.site, Auth: merge.AuthOK, Started: begin.Now, Marks: from.marks,
	})
}

// Pull reads what has changed at the tracker and merges it.
func (s *Syncer) Pull(ctx context.Context, project string, dryRun bool, progress func(read int)) (links.Pulled, error) {
	return s.pull(ctx, project, merge.IssueTracker, dryRun, progress, func(begin links.StandingOut) (source, error) {
		link, err := s.Open(ctx, project)
		if err != nil {
			return source{site: link.Site}, err
		}
		var missing []string
		return source{
			site: link.Tracker.Site(),
			read: func(ctx context.Context, into io.Writer, count func(int)) (err error) {
				missing, err = s.read(ctx, link, begin, into, count)
				return err
			},
			apply: func(from io.Reader, out *links.Pulled) error {
				if err := s.merge(ctx, project, from, dryRun, out); err != nil {
					return err
				}
				out.Warnings = append(out.Warnings, link.Tracker.Warnings()...)
				for _, ref := range missing[:min(len(missing), maxWarnings)] {
					out.Warnings = append(out.Warnings, ref+" does not exist at the tracker, or we may not see it: its task is left alone")
				}
				if more := len(missing) - maxWarnings; more > 0 {
					out.Warnings = append(out.Warnings, fmt.Sprintf("%d more issues do not exist at the tracker, or we may not see them", more))
				}
				return nil
			},
		}, nil
	})
}

// read stores every issue that has changed since the last pull or that no pull has seen yet. It
// returns the issues that it found to be missing.
func (s *Syncer) read(ctx context.Context, link Link, begin links.StandingOut, into io.Writer, count func(int)) (missing []string, err error) {
	q := tracker.Query{Projects: link.Projects}
	if len(q.Projects) == 0 {
		q.Projects = begin.Groups
	}
	if begin.Health.Started != 0 && merge.SameSite(begin.Health.URL, link.Tracker.Site()) { // nothing is known about another site
		q.Within = time.Duration(begin.Now-begin.Health.Started)*time.Microsecond + overlap
	}
	absent := map[string]bool{}
	for _, b := range begin.Bound {
		absent[b.Ref] = true
	}
	put := func(page []merge.Issue) error {
		for i := range page {
			delete(absent, page[i].Ref)
			if err := json.MarshalWrite(into, page[i]); err != nil {
				return err
			}
		}
		count(len(page))
		return nil
	}
	if len(q.Projects) > 0 {
		if err := link.Tracker.Pages(ctx, q, put); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(absent, func(ref string, _ bool) bool { return link.Tracker.Has(ref) })
	if q.Within == 0 { // all of them have arrived
		return slices.Sorted(maps.Keys(absent)), nil
	}
	for _, ref := range begin.New {
		one, err := link.Tracker.Issue(ctx, ref)
		if err != nil && site.ProblemOf(err).Missing {
			missing = append(missing, ref)
			continue
		}
		if err != nil && site.ProblemOf(err).Shows {
			link.Tracker.Over(ref)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := put([]merge.Issue{one}); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// merge merges what was stored, and then every binding with what was last seen: something may have
// changed here.
func (s *Syncer) merge(ctx context.Context, project string, from io.Reader, dryRun bool, out *links.Pulled) error {
	err := portions(from, func(page []merge.Issue) error {
		got, err := s.Links.Merge(core.Doing(ctx, "sync-merge"), links.MergeIn{Project: project, System: merge.IssueTracker, Seen: page, DryRun: dryRun})
		out.Unchanged += got.Unchanged
		add(out, got)
		return err
	})
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		got, err := s.Links.Merge(core.Doing(ctx, "sync-merge"), links.MergeIn{Project: project, System: merge.IssueTracker, After: after, DryRun: dryRun})
		if err != nil {
			return err
		}
		if add(out, got); got.Next == 0 {
			return nil
		}
		after = got.Next
	}
}

// portions reads what was stored, and hands it over in portions.
func portions[T any](from io.Reader, each func([]T) error) error {
	dec := jsontext.NewDecoder(from)
	page := make([]T, 0, portion)
	for {
		var one T
		err := json.UnmarshalDecode(dec, &one)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if page = append(page, one); len(page) < portion {
			continue
		}
		if err := each(page); err != nil {
			return err
		}
		page = page[:0]
	}
	if len(page) == 0 {
		return nil
	}
	return each(page)
}

func add(out *links.Pulled, got links.MergeOut) {
	out.Updated = append(out.Updated, got.Updated...)
	out.Conflicts += got.Conflicts
	out.Planned += got.Planned
	for _, w := range got.Warnings {
		if len(out.Warnings) < maxWarnings && !slices.Contains(out.Warnings, w) {
			out.Warnings = append(out.Warnings, w)
		}
	}
}

// looked records how contacting a system ended, unless it was for a dry run.
func (s *Syncer) looked(ctx context.Context, dryRun bool, in links.LookedIn) error {
	if dryRun {
		return nil
	}
	_, err := s.Links.Looked(core.Doing(ctx, "sync-looked"), in)
	return err
}

// unopened records why a system could not be contacted.
func (s *Syncer) unopened(ctx context.Context, project, system, site string, why error, dryRun bool) error {
	return s.looked(ctx, dryRun, links.LookedIn{Project: project, System: system, URL: site, Auth: merge.AuthMissing, Problem: fault.Of(why).Message})
}

// failed records that a system could not be read, and returns the refusal.
func (s *Syncer) failed(ctx context.Context, project, system, address string, err error, dryRun bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := site.ProblemOf(err)
	problem := address + words.When(p.Of != "", " ("+p.Of+")") + ": " + p.Message
	if err := s.looked(ctx, dryRun, links.LookedIn{
		Project: project, System: system, URL: address, Auth: words.Either(p.Auth, merge.AuthRefused, merge.AuthUnknown), Problem: words.Cut(problem, maxLine),
	}); err != nil {
		return err
	}
	return fault.Unready("nothing was pulled from %s", problem).
		WithHint("what was pulled before is kept; see the state of the link: %s", hint.Here("sync status"))
}

// errLate ends a push: a site that timed out once would delay every further write as long.
var errLate = errors.New("the site did not answer in time")

// Push carries out the writes that are due. It reads each issue first: if that has changed since,
// the write becomes a conflict.
func (s *Syncer) Push(ctx context.Context, project string, dryRun bool) (out links.Pushed, err error) {
	link, err := s.Open(ctx, project)
	if err != nil {
		return out, errors.Join(err, s.unopened(ctx, project, merge.IssueTracker, link.Site, err, dryRun))
	}
	if _, err := s.Links.Plan(core.Doing(ctx, "sync-plan"), projectIn(project)); err != nil {
		return out, err
	}
	late := false
	for after := int64(0); !dryRun && !late; {
		due, err := s.Links.DueWrites(core.Doing(ctx, "sync-due"), links.DueIn{Project: project, After: after})
		if err != nil {
			return out, err
		}
		if len(due) == 0 {
			break
		}
		for _, d := range due {
			after = d.ID
			sent, failed, err := s.send(ctx, link.Tracker, d)
			if late = errors.Is(err, errLate); late {
				break
			}
			if err != nil {
				return out, err
			}
			out.Sent += sent
			out.Failed += failed
		}
	}
	now, err := s.Links.Sync(core.Doing(ctx, "sync"), projectIn(project))
	for _, l := range now.Links {
		if l.System == merge.IssueTracker {
			out.Pending = l.PendingWrites
		}
	}
	return out, err
}

// send carries out one write, and counts the result.
func (s *Syncer) send(ctx context.Context, t tracker.Tracker, d links.Due) (sent, failed int, err error) {
	refuse := func(why error) (int, int, error) {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		p := site.ProblemOf(why)
		_, err := s.Links.Failed(core.Doing(ctx, "sync-refused"), links.FailedIn{Write: d.Write, ForGood: p.ForGood, WaitMs: p.Wait.Milliseconds(), Problem: p.Message})
		if err == nil && p.Late {
			err = errLate
		}
		if p.ForGood {
			return 0, 1, err
		}
		return 0, 0, err
	}
	done := func(i merge.Issue) (int, int, error) {
		_, err := s.Links.Sent(core.Doing(ctx, "sync-sent"), links.SentIn{Write: d.Write, Seen: i})
		return 1, 0, err
	}
	now, err := t.Issue(ctx, d.Ref)
	if err != nil {
		return refuse(err)
	}
	value, there := now.Values[d.Field]
	if !there {
		value = d.Expect // what the answer leaves out has not changed
	}
	switch value {
	case d.To: // somebody was faster, or our own write arrived although we never got the answer
		return done(now)
	case d.Expect:
	default:
		_, err := s.Links.Merge(core.Doing(ctx, "sync-merge"), links.MergeIn{Project: d.Project, System: merge.IssueTracker, Seen: []merge.Issue{now}})
		return 0, 0, err
	}
	if _, err := s.Links.Try(core.Doing(ctx, "sync-try"), links.TryIn{Write: d.Write}); err != nil {
		if fault.Is(err, fault.NotFound) { // no longer wanted
			return 0, 0, nil
		}
		return 0, 0, err
	}
	if err := t.Write(ctx, d.Ref, d.Field, d.To); err != nil {
		return refuse(err)
	}
	if now, err = t.Issue(ctx, d.Ref); err != nil {
		return refuse(fmt.Errorf("the write was sent, but its result cannot be read: %w", err))
	}
	return done(now)
}
