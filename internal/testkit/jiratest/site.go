// Package jiratest is a stand-in for a Jira site: it speaks the protocol of Jira Cloud or Data Center over HTTP, and
// misbehaves on purpose if told to. It has its own clock.
package jiratest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"tasker/internal/testkit/fakesite"
	"time"
)

// Issue is an issue of the site.
type Issue struct {
	Summary     string
	Description string
	Due         string
	Priority    string
	Status      string // one of Statuses
	Severity    string
	Sprint      string
	Rank        string
	Updated     time.Time
}

// Statuses are the statuses of the site, with their categories.
var Statuses = []struct{ ID, Name, Category string }{
	{"1", "To Do", "new"}, {"3", "In Progress", "indeterminate"}, {"4", "In Review", "indeterminate"}, {"5", "Done", "done"}, {"6", "Won't Do", "done"},
	{"7", "Waiting", "indeterminate"},
}

// Map is a statusMap for the site.
var Map = map[string]string{"open": "To Do", "in_progress": "In Progress", "in_review": "In Review", "done": "Done", "cancelled": "6"}

// Fields are the custom fields of the site.
var Fields = map[string]string{"sprint": "customfield_1", "rank": "customfield_2", "severity": "customfield_3"}

// Site is a stand-in. It counts requests as search, issue and write.
type Site struct {
	*httptest.Server
	fakesite.Site
	Cloud       bool
	User, Token string
	LeavesOut   []string // fields of issues that answers leave out
	Drips       bool     // send every answer as slowly as possible

	issues   map[string]*Issue
	rest     map[string][]string // the keys behind a page token
	refusing int                 // the status with which every write is refused; 0: none is
}

// New starts a site.
func New(cloud bool) *Site {
	s := &Site{Site: fakesite.New(), Cloud: cloud, Token: "secret-token", issues: map[string]*Issue{}, rest: map[string][]string{}}
	if cloud {
		s.User = "ann@example.org"
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Refuse makes every write fail with a status; 0 ends it.
func (s *Site) Refuse(status int) {
	s.Lock()
	defer s.Unlock()
	s.refusing = status
}

// Put creates or changes an issue, like a user of the site.
func (s *Site) Put(key string, change func(*Issue)) {
	s.Lock()
	defer s.Unlock()
	s.put(key, change)
}

func (s *Site) put(key string, change func(*Issue)) {
	i := s.issues[key]
	if i == nil {
		i = &Issue{Summary: key, Priority: "Medium", Status: "To Do"}
		s.issues[key] = i
	}
	change(i)
	i.Updated = s.Tick()
}

// Get returns the current state of an issue.
func (s *Site) Get(key string) Issue {
	s.Lock()
	defer s.Unlock()
	if i := s.issues[key]; i != nil {
		return *i
	}
	return Issue{}
}

// Delete removes an issue.
func (s *Site) Delete(key string) {
	s.Lock()
	defer s.Unlock()
	delete(s.issues, key)
}

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	if s.Drips {
		s.Count("dripped")
		s.Unlock()
		fakesite.Drip(w, r)
		return
	}
	defer s.Unlock()
	user, pass, basic := r.BasicAuth()
	switch {
	case s.User != "" && (!basic || user != s.User || pass != s.Token), s.User == "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		fail(w, http.StatusUnauthorized, "who are you?")
		return
	}
	if s.Fails(w, 12, half, fail, nil) {
		return
	}
	s.route(w, r)
}

func (s *Site) route(w http.ResponseWriter, r *http.Request) {
	version := "2"
	if s.Cloud {
		version = "3"
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/rest/api/"+version+"/")
	switch {
	case r.URL.Path == "/rest/api/2/serverInfo":
		kind := "Server"
		if s.Cloud {
			kind = "Cloud"
		}
		s.answer(w, map[string]any{"deploymentType": kind})
	case !ok:
		fail(w, http.StatusNotFound, "no such version")
	case path == "search/jql" && s.Cloud:
		s.Count("search")
		s.byToken(w, r)
	case path == "search" && !s.Cloud:
		s.Count("search")
		s.byOffset(w, r)
	case strings.HasPrefix(path, "issue/"):
		key, rest, _ := strings.Cut(strings.TrimPrefix(path, "issue/"), "/")
		s.issue(w, r, key, rest)
	default:
		fail(w, http.StatusNotFound, "no such thing")
	}
}

func (s *Site) issue(w http.ResponseWriter, r *http.Request, key, rest string) {
	i := s.issues[key]
	if i == nil {
		fail(w, http.StatusNotFound, "Issue does not exist or you do not have permission to see it.")
		return
	}
	if r.Method != http.MethodGet && s.refusing != 0 {
		fail(w, s.refusing, "not today")
		return
	}
	switch {
	case r.Method == http.MethodGet && rest == "":
		s.Count("issue")
		s.answer(w, s.shown(key, i))
	case r.Method == http.MethodGet && rest == "transitions":
		var list []any
		for _, st := range Statuses {
			if st.Name != i.Status {
				list = append(list, map[string]any{"id": "t" + st.ID, "to": statusOf(st.Name)})
			}
		}
		s.answer(w, map[string]any{"transitions": list})
	case r.Method == http.MethodPost && rest == "transitions":
		var in struct{ Transition struct{ ID string } }
		if json.NewDecoder(r.Body).Decode(&in) != nil {
			fail(w, http.StatusBadRequest, "what?")
			return
		}
		for _, st := range Statuses {
			if "t"+st.ID == in.Transition.ID {
				s.Count("write")
				s.put(key, func(i *Issue) { i.Status = st.Name })
			}
		}
		s.done(w)
	case r.Method == http.MethodPut && rest == "":
		s.change(w, r, key)
	default:
		fail(w, http.StatusMethodNotAllowed, "no")
	}
}

// done answers a write, or cuts the answer off: the client cannot know that the write succeeded.
func (s *Site) done(w http.ResponseWriter) {
	if !s.LosesTheAnswer(w, half) {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Site) change(w http.ResponseWriter, r *http.Request, key string) {
	var in struct{ Fields map[string]any }
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		fail(w, http.StatusBadRequest, "what?")
		return
	}
	s.Count("write")
	s.put(key, func(i *Issue) {
		for id, v := range in.Fields {
			text, _ := v.(string)
			option, _ := v.(map[string]any)
			switch id {
			case "summary":
				i.Summary = text
			case "description":
				if i.Description = text; option != nil {
					i.Description = flat(option)
				}
			case "duedate":
				i.Due = text
			case "priority":
				i.Priority = fmt.Sprint(option["name"])
			case Fields["severity"]:
				if i.Severity = ""; option != nil {
					i.Severity = fmt.Sprint(option["value"])
				}
			}
		}
	})
	s.done(w)
}

// flat returns the text of a document of paragraphs.
func flat(doc map[string]any) string {
	var out []string
	content, _ := doc["content"].([]any)
	for _, p := range content {
		var text strings.Builder
		parts, _ := p.(map[string]any)["content"].([]any)
		for _, part := range parts {
			if m, _ := part.(map[string]any); m["type"] == "hardBreak" {
				text.WriteByte('\n')
			} else {
				text.WriteString(fmt.Sprint(m["text"]))
			}
		}
		out = append(out, text.String())
	}
	return strings.Join(out, "\n\n")
}

var (
	projects = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([A-Z][A-Z0-9_]*)"`) })
	within   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`updated >= "-(\d+)m"`) })
)

// find returns the keys that a query selects, in its order.
func (s *Site) find(jql string) []string {
	var of []string
	clause, _, _ := strings.Cut(jql, ")")
	for _, m := range projects().FindAllStringSubmatch(clause, -1) {
		of = append(of, m[1])
	}
	since := time.Time{}
	if m := within().FindStringSubmatch(jql); m != nil {
		n, _ := strconv.Atoi(m[1])
		since = s.Now.Add(-time.Duration(n) * time.Minute)
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(s.issues)) {
		prefix, _, _ := strings.Cut(key, "-")
		if slices.Contains(of, prefix) && !s.issues[key].Updated.Before(since) {
			keys = append(keys, key)
		}
	}
	if s.Dice != nil { // out of order, and some items twice
		s.Dice.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
		if len(keys) > 0 && s.Cloud {
			keys = append(keys, keys[s.Dice.IntN(len(keys))])
		}
	}
	return keys
}

func (s *Site) byToken(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.FormValue("maxResults"))
	keys := s.find(r.FormValue("jql"))
	if token := r.FormValue("nextPageToken"); token != "" {
		keys = s.rest[token]
	}
	size = min(size, 3+len(s.issues)/10) // as large as the site likes
	page, rest := keys[:min(size, len(keys))], keys[min(size, len(keys)):]
	out := map[string]any{"issues": s.list(page), "isLast": len(rest) == 0}
	if len(rest) > 0 {
		token := "page" + strconv.Itoa(len(s.rest))
		s.rest[token], out["nextPageToken"] = rest, token
	}
	s.answer(w, out)
}

func (s *Site) byOffset(w http.ResponseWriter, r *http.Request) {
	start, _ := strconv.Atoi(r.FormValue("startAt"))
	size, _ := strconv.Atoi(r.FormValue("maxResults"))
	size = min(size, 3+len(s.issues)/10)
	dice := s.Dice
	s.Dice = nil // the order stays the same between pages
	keys := s.find(r.FormValue("jql"))
	s.Dice = dice
	page := keys[min(start, len(keys)):]
	page = slices.Clone(page[:min(size, len(page))])
	if dice != nil {
		dice.Shuffle(len(page), func(a, b int) { page[a], page[b] = page[b], page[a] })
	}
	s.answer(w, map[string]any{"startAt": start, "maxResults": size, "total": len(keys), "issues": s.list(page)})
}

func (s *Site) list(keys []string) []any {
	out := []any{}
	for _, key := range keys {
		if i := s.issues[key]; i != nil {
			out = append(out, s.shown(key, i))
		}
	}
	return out
}

func (s *Site) shown(key string, i *Issue) map[string]any {
	orNull := func(v string) any {
		if v == "" {
			return nil
		}
		return v
	}
	f := map[string]any{
		"summary": i.Summary, "duedate": orNull(i.Due), "priority": map[string]any{"name": i.Priority}, "status": statusOf(i.Status),
		"updated": i.Updated.Format("2006-01-02T15:04:05.000-0700"), "description": orNull(i.Description), Fields["rank"]: orNull(i.Rank),
		Fields["severity"]: nil, Fields["sprint"]: nil,
	}
	if i.Severity != "" {
		f[Fields["severity"]] = map[string]any{"value": i.Severity}
	}
	if i.Sprint != "" {
		f[Fields["sprint"]] = []any{map[string]any{"name": "Old", "state": "closed"}, map[string]any{"name": i.Sprint, "state": "active"}}
	}
	if s.Cloud && i.Description != "" {
		var paragraphs []any
		for _, block := range strings.Split(i.Description, "\n\n") {
			var parts []any
			for n, line := range strings.Split(block, "\n") {
				if n > 0 {
					parts = append(parts, map[string]any{"type": "hardBreak"})
				}
				if line != "" {
					parts = append(parts, map[string]any{"type": "text", "text": line})
				}
			}
			paragraphs = append(paragraphs, map[string]any{"type": "paragraph", "content": parts})
		}
		f["description"] = map[string]any{"type": "doc", "version": 1, "content": paragraphs}
	}
	for _, name := range s.LeavesOut {
		delete(f, name)
	}
	return map[string]any{"id": "1", "key": key, "fields": f}
}

func statusOf(name string) map[string]any {
	for _, st := range Statuses {
		if st.Name == name {
			return map[string]any{"id": st.ID, "name": st.Name, "statusCategory": map[string]any{"key": st.Category}}
		}
	}
	return nil
}

func (s *Site) answer(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.Dice != nil && s.Dice.IntN(15) == 0 { // half of it, as if it were complete
		text = text[:len(text)/2]
	}
	_, _ = w.Write(text)
}

// half is the beginning of an answer.
const half = `{"issues": [`

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errorMessages": []string{message}})
}
