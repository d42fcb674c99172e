package syncer

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/links"
	"tasker/internal/planning"
	"tasker/internal/site"
	"tasker/internal/sync/tracker"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/transfer/importer"
)

// maxImported is how many issues an import takes: they become one plan.
const maxImported = 50_000

// Import makes tasks from the tracker's issues that no task is bound to yet, and binds them. It
// leaves the other issues to a pull.
func (s *Syncer) Import(ctx context.Context, project string, hold, dryRun bool, progress func(read int)) (planning.ImportOut, error) {
	link, err := s.Open(ctx, project)
	if err != nil {
		return planning.ImportOut{}, err
	}
	if len(link.Projects) == 0 {
		return planning.ImportOut{}, fault.Decline("%s lists no project of the tracker, so everything at %s would be imported", project, link.Tracker.Site()).
			WithHint("list what to import in the configuration: integrations.issue_tracker.projects")
	}
	begin, err := s.Links.Standing(core.Doing(ctx, "sync-standing"), links.StandingIn{Project: project, System: merge.IssueTracker})
	if err != nil && !fault.Is(err, fault.NotFound) { // a project that the import creates has no bindings
		return planning.ImportOut{}, err
	}
	seen := map[string]bool{}
	for _, b := range begin.Bound {
		seen[b.Ref] = true
	}
	var issues []importer.Issue
	read := 0
	take := func(page []merge.Issue) error {
		if read += len(page); progress != nil {
			progress(read)
		}
		for _, i := range page {
			if seen[i.Ref] { // bound already, or returned twice
				continue
			}
			seen[i.Ref] = true
			issues = append(issues, importer.Issue{Values: merge.Fitting(i.Values), Binding: task.Binding{
				System: merge.IssueTracker, Kind: "issue", Ref: i.Ref, URL: s.Links.Names.IssueURL(link.Tracker.Site(), i.Ref),
			}})
		}
		if len(issues) > maxImported {
			return fault.New(fault.TooLarge, "the tracker has more than %d issues that no task is bound to", maxImported).
				WithHint("list fewer of its projects")
		}
		return nil
	}
	err = reading(ctx, func(ctx context.Context) error {
		return link.Tracker.Pages(ctx, tracker.Query{Projects: link.Projects}, take)
	})
	if err != nil {
		if f := fault.Of(err); f.Kind == fault.TooLarge {
			return planning.ImportOut{}, err
		}
		return planning.ImportOut{}, fault.Unready("nothing was imported: %s", site.ProblemOf(err).Message).
			WithHint("run the import again once that has passed")
	}
	if len(issues) == 0 {
		out := planning.ImportOut{Source: importer.TrackerKind}
		out.Project, out.DryRun, out.Warnings = project, dryRun, link.Tracker.Warnings()
		return out, nil
	}
	batch, err := importer.FromIssues(project, issues)
	if err != nil {
		return planning.ImportOut{}, err
	}
	out, err := s.Plans.Import(core.Doing(ctx, "import"), planning.ImportIn{Batch: batch, Hold: hold, DryRun: dryRun})
	out.Warnings = append(out.Warnings, link.Tracker.Warnings()...)
	return out, err
}
