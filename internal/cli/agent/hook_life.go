package agent

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// saying is what agents tell a hook, each in its own words.
type saying struct {
	SessionID      string         `json:"session_id"`
	SessionIDCamel string         `json:"sessionId"`
	Reason         string         `json:"reason"`           // why the session ends
	Active         bool           `json:"stop_hook_active"` // it goes on only because a hook like this stopped it from ending
	ActiveCamel    bool           `json:"stopHookActive"`
	Error          string         `json:"error"`
	Details        string         `json:"error_details"`
	Last           string         `json:"last_assistant_message"`
	Input          jsontext.Value `json:"tool_input"`
	InputCamel     jsontext.Value `json:"toolArgs"`
	Dir            string         `json:"cwd"`
}

// session returns the id of the session; "" if the agent gives none.
func (s saying) session() string { return cmp.Or(s.SessionID, s.SessionIDCamel) }

// life answers the moments of one session of an agent.
type life struct {
	f    *frame.Factory
	said saying
}

func lifeOf(f *frame.Factory, said saying) life { return life{f, said} }

// goesOn are the reasons for the end of a session after which the same agent goes on.
var goesOn = []string{"clear", "resume", "compact"}

// answer returns what the agent is to read, or "". It does nothing where the database cannot tell what this session holds:
// there is none, or it is behind a server.
func (l life) answer(ctx context.Context, event string) (string, error) {
	f := l.f
	worker := f.Env("TASKER_TASK") != "" && (event == "stop" || event == "end") // the runner settles its task
	if worker || event == "end" && slices.Contains(goesOn, l.said.Reason) || f.ServerURL() != "" && f.Flags.DB == "" {
		return "", nil
	}
	if !words.Address(f.Database()) {
		if _, err := os.Stat(f.Database()); err != nil {
			return "", err
		}
	}
	of := l.session()
	if of.Unknown() {
		return "", nil
	}
	if event == "beat" && !l.due(of) {
		return "", nil
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return "", err
	}
	ctx = core.Doing(ctx, "hook "+event)
	switch of := core.CallerOf(ctx).Session; event {
	case "stop":
		held, err := s.Work.InHand(ctx)
		if err != nil {
			return "", err
		}
		return l.stop(of, held)
	case "limit":
		if until, ok := l.limited(); ok {
			note := fmt.Sprintf("A usage limit stopped the agent here; it goes on at %s.", until.UTC().Format("2006-01-02 15:04 UTC"))
			return "", s.Work.Await(ctx, task.Time(until.UnixMicro()), note)
		}
	case "end":
		err := s.Work.Leave(ctx, "The agent's session ended"+words.When(l.said.Reason != "", " ("+words.Cut(words.Either(plain(l.said.Reason), l.said.Reason, "other"), 40)+")")+" while it held this.")
		forget(f, of)
		return "", err
	case "beat":
		return "", s.Work.Beat(ctx)
	case "edit":
		return l.edit(ctx, of, s)
	}
	return "", nil
}

// session returns the session before anything is opened; the one that the caller has then is the same.
func (l life) session() task.AgentSession { return l.f.AgentSession() }

// plain reports whether a reason is a word of an agent, and no text.
func plain(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == "" }

// stop returns what the agent reads where it ends its turn, holds something, and has written nothing to it since it last
// ended a turn: once for each such state, and never where it goes on only because of this.
func (l life) stop(of task.AgentSession, held []task.InHand) (string, error) {
	past, now := recall(l.f, of), memory{}
	idle := len(held) > 0
	now.Stop = map[string]int64{}
	for _, h := range held {
		key := fmt.Sprintf("%s/%d", h.Task.ID, h.Task.Claim.Fence)
		since := h.Claimed
		if last, ok := past.Stop[key]; ok {
			since = last
		}
		idle = idle && h.Wrote <= since
		now.Stop[key] = h.Wrote
		now.State += fmt.Sprintf("%s/%d;", key, h.Wrote)
	}
	say := idle && now.State != past.State && !l.said.Active && !l.said.ActiveCamel
	state := now.State
	if now.State = past.State; say {
		now.State = state
	}
	now.Edits = past.Edits
	if err := now.keep(l.f, of); err != nil || !say { // unless it is kept that this was said, it would be said again
		return "", err
	}
	ids := words.Each(held, func(h task.InHand) string { return string(h.Task.ID) })
	first := held[0].Task.ID
	return fmt.Sprintf("You still hold %s in tasker, and have written nothing to it since you last stopped. Before you end your turn, either close it "+
		"or hand it to review (%s, %s), or ask (%s), or give it back (%s). If you wait for your person, say so and stop again: this is said once.",
		words.And(ids), hint.Command("done "+string(first)+" --note TEXT"), hint.Command("review "+string(first)),
		hint.Command("ask "+string(first)+" TEXT --blocking --release"), hint.Command("release "+string(first)+" --note TEXT")), nil
}

// edit returns, once for each file and task, that somebody else holds a task that keeps a file which is about to change.
func (l life) edit(ctx context.Context, of task.AgentSession, s *frame.Session) (string, error) {
	project, err := l.f.Project()
	if err != nil {
		return "", err
	}
	past := recall(l.f, of)
	root := agentRoot(l.f)
	var out []string
	for _, file := range l.said.files() {
		rel := within(root, cmp.Or(l.said.Dir, l.f.Process.Dir), file)
		if rel == "" {
			continue
		}
		others, err := s.Work.Others(ctx, project, rel)
		if err != nil {
			return "", err
		}
		for _, t := range others {
			key := task.Digest("edit", fmt.Sprintf("%s %d %s", t.ID, t.Claim.Fence, rel))[:16]
			if slices.Contains(past.Edits, key) {
				continue
			}
			if past.Edits = append(past.Edits, key); len(past.Edits) > maxEdits {
				past.Edits = past.Edits[1:]
			}
			out = append(out, fmt.Sprintf("%s holds %s in tasker, which keeps this file by its touches", t.Claim.Actor, t.ID))
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	if err := past.keep(l.f, of); err != nil {
		return "", err
	}
	return strings.Join(slices.Compact(out), "; ") + ": do not undo its work, and keep your change small, or leave the file to it. This is said once.", nil
}

// maxFiles is how many files of one edit are looked at.
const maxFiles = 20

// patched are the lines by which a patch names its files.
var patched = words.Pattern(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$`)

// files returns the files that a tool is about to change, as the agent names them.
func (s saying) files() (out []string) {
	raw := s.Input
	if len(raw) == 0 {
		raw = s.InputCamel
	}
	var text string
	if json.Unmarshal(raw, &text) == nil { // JSON in a string
		raw = jsontext.Value(text)
	}
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return patches(text, out)
	}
	for _, name := range []string{"file_path", "filePath", "absolute_path", "notebook_path", "path"} {
		if file, _ := members[name].(string); file != "" {
			out = append(out, file)
		}
	}
	for _, name := range []string{"command", "input", "patch", "patchText"} {
		if text, _ := members[name].(string); text != "" {
			out = patches(text, out)
		}
	}
	return out[:min(len(out), maxFiles)]
}

// patches adds the files that a patch names.
func patches(text string, out []string) []string {
	for _, m := range patched().FindAllStringSubmatch(text, maxFiles) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}

// within returns a file from the root with slashes, or "" if it is not below it.
func within(root, dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return ""
}

// unknownLimit is how long a limit is taken to last if the agent does not say when it ends.
const unknownLimit = time.Hour

// The times at which limits end, as agents tell them: a moment, seconds since 1970, a time of the day, or how long it takes.
var (
	moments = words.Pattern(`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
	epochs  = words.Pattern(`\b(1[789]\d{8}|2\d{9})\b`)
	clocks  = words.Pattern(`(?i)\b(?:resets?|again|until|at)\b[^0-9\n]{0,20}(\d{1,2})(?::(\d\d))?\s*(am|pm)?\b`)
	waits   = words.Pattern(`(?i)\bin\s+(?:(\d{1,2})\s*(?:h|hours?)\b)?\s*(?:(\d{1,4})\s*(?:m|min|minutes?)\b)?`)
)

// limited returns when the limit ends that stopped the agent; false if it was stopped by something else.
func (l life) limited() (time.Time, bool) {
	if l.said.Error != "" && !strings.Contains(l.said.Error, "limit") {
		return time.Time{}, false
	}
	now := l.f.Now()
	text := l.said.Error + "\n" + l.said.Details + "\n" + l.said.Last
	return limitEnd(text, now), true
}

// limitEnd returns when a limit ends by what an agent said of it; in an hour if it does not say.
func limitEnd(text string, now time.Time) time.Time {
	if m := moments().FindString(text); m != "" {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
			if at, err := time.Parse(layout, m); err == nil && at.After(now) {
				return at
			}
		}
	}
	number := func(s string) (n int) {
		_, _ = fmt.Sscan(s, &n) // nothing is 0
		return n
	}
	if m := epochs().FindString(text); m != "" {
		if at := time.Unix(int64(number(m)), 0); at.After(now) {
			return at
		}
	}
	if m := waits().FindStringSubmatch(text); m != nil && m[1]+m[2] != "" {
		return now.Add(time.Duration(number(m[1]))*time.Hour + time.Duration(number(m[2]))*time.Minute)
	}
	if m := clocks().FindStringSubmatch(text); m != nil && (m[2] != "" || m[3] != "") {
		hour := number(m[1])
		if half := strings.ToLower(m[3]); half != "" {
			if hour %= 12; half == "pm" {
				hour += 12
			}
		}
		minute := number(m[2])
		if at := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location()); hour < 24 && minute < 60 && number(m[1]) < 24 {
			if !at.After(now) {
				at = at.AddDate(0, 0, 1)
			}
			return at
		}
	}
	return now.Add(unknownLimit)
}
