package setup_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/agent/setup"
	"tasker/internal/fault"
)

// layout is the formatting of a generated JSON file.
type layout struct {
	t        *rapid.T
	eol      string
	indent   string
	comments bool
}

// space returns what may separate two tokens.
func (l layout) space(depth int) string {
	forms := []string{"", " ", l.eol, l.eol + strings.Repeat(l.indent, depth), "\t" + l.eol}
	if l.comments {
		forms = append(forms, " /* } , \" */ ", " // ]{"+l.eol)
	}
	return rapid.SampledFrom(forms).Draw(l.t, "space")
}

// value generates a value. Members take their names from names, so that the ones setup looks for often exist.
func (l layout) value(depth int, names []string) string {
	if depth > 3 || rapid.IntRange(0, 3).Draw(l.t, "leaf") == 0 {
		return rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", `""`, `"} ] , \" \\"`, `"tasker"`, "{}", "[]", "[ ]"}).Draw(l.t, "value")
	}
	if rapid.Bool().Draw(l.t, "list") {
		return l.list(depth, func() string { return l.value(depth+1, names) })
	}
	return l.object(depth, names, func(string) string { return l.value(depth+1, names) })
}

func (l layout) list(depth int, element func() string) string {
	var parts []string
	for range rapid.IntRange(0, 3).Draw(l.t, "elements") {
		parts = append(parts, l.space(depth+1)+element()+l.space(depth))
	}
	return "[" + l.joined(parts, depth) + "]"
}

func (l layout) object(depth int, names []string, value func(name string) string) string {
	var parts []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, min(3, len(names)), rapid.ID).Draw(l.t, "members") {
		parts = append(parts, l.space(depth+1)+`"`+name+`"`+l.space(depth)+":"+l.space(depth)+value(name)+l.space(depth))
	}
	return "{" + l.joined(parts, depth) + "}"
}

func (l layout) joined(parts []string, depth int) string {
	text := strings.Join(parts, ",")
	if len(parts) > 0 && l.comments && rapid.Bool().Draw(l.t, "trailing comma") {
		text += ","
	}
	return text + l.space(depth)
}

// config generates a file as an agent may have it: what setup adds to exists or not, and has the right form.
func (l layout) config() string {
	other := []string{"a", "model", "theme", "x"}
	root := l.object(0, append([]string{"mcpServers", "servers", "mcp", "env", "hooks", "version"}, other...), func(name string) string {
		switch name {
		case "mcpServers", "servers", "mcp":
			return l.object(1, []string{"one", "two", "tasker-2"}, func(string) string { return l.value(2, other) })
		case "env":
			return l.object(1, []string{"A", "PATH", "TASKER_ACTOR"}, func(string) string { return `"v"` })
		case "hooks":
			return l.object(1, []string{"SessionStart", "sessionStart", "Stop"}, func(string) string {
				return l.list(2, func() string {
					return l.object(3, []string{"command", "hooks"}, func(string) string { return l.value(4, other) })
				})
			})
		}
		return l.value(1, other)
	})
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(l.t, "mark") + l.space(0) + root + l.space(0)
}

// existing generates the files of a project in which the agent is not set up yet.
func existing(t *rapid.T, paths []string) project {
	p := project{"unrelated.txt": "x"}
	for _, path := range paths {
		if slices.Contains(ours, path) || rapid.Bool().Draw(t, "absent") {
			continue
		}
		l := layout{
			t: t, eol: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol"),
			indent: rapid.SampledFrom([]string{"  ", "    ", "\t"}).Draw(t, "indent"), comments: rapid.Bool().Draw(t, "comments"),
		}
		if strings.HasSuffix(path, ".json") {
			p[path] = l.config()
			continue
		}
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "# Rules", "Be kind.", "<!-- tasker -->", "[other]", "  x = 1", "é\u200b"}), 0, 6).Draw(t, "lines")
		p[path] = strings.Join(lines, l.eol)
	}
	return p
}

func TestSetupAndRemoveAreOppositesWhateverIsThere(t *testing.T) {
	for _, agent := range setup.Agents() {
		paths := files(t, agent)
		t.Run(agent, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := existing(rt, paths)
				o := setup.Options{Actor: rapid.SampledFrom([]string{"", "a/1", "o'b \"c\""}).Draw(rt, "actor"),
					DB: rapid.SampledFrom([]string{"", `C:\x y`}).Draw(rt, "db")}
				added, refused := change(rt, p, func(p project) ([]setup.Change, error) { return setup.Add(agent, p, o) })
				if refused { // the existing file cannot be extended
					return
				}
				if added["unrelated.txt"] != "x" || len(added) <= 1 {
					rt.Fatalf("setup left %v", added)
				}
				if again, _ := change(rt, added, func(p project) ([]setup.Change, error) { return setup.Add(agent, p, o) }); !maps.Equal(again, added) {
					rt.Fatalf("a second setup changes something:\n%s", cmp.Diff(added, again))
				}
				if back, _ := change(rt, added, func(p project) ([]setup.Change, error) { return setup.Remove(agent, p) }); !maps.Equal(back, p) {
					rt.Fatalf("(-before +after)\n%s\nit was\n%q", cmp.Diff(p, back), added)
				}
			})
		})
	}
}

func TestWhatAPersonWritesBesideItSurvives(t *testing.T) {
	for _, agent := range setup.Agents() {
		paths := files(t, agent)
		t.Run(agent, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := existing(rt, paths)
				o := setup.Options{}
				added, refused := change(rt, p, func(p project) ([]setup.Change, error) { return setup.Add(agent, p, o) })
				if refused {
					return
				}
				edited := maps.Clone(added)
				for path, text := range added { // the order does not matter: each file is edited separately
					switch before, there := p[path]; {
					case slices.Contains(ours, path) || path == "unrelated.txt":
					case strings.HasSuffix(path, ".json"):
						at := strings.LastIndexByte(text, '}')
						if head := strings.TrimRight(text[:at], " \t\r\n"); strings.Contains(text, "//") || strings.Contains(text, "/*") || strings.HasSuffix(head, ",") {
							continue // here a person would have to look twice
						}
						edited[path] = text[:at] + `, "mine": "kept"` + text[at:]
					case there && before != "":
						edited[path] = "Mine, above.\n" + text + "Mine, below.\n"
					default:
						edited[path] = text + "Mine, below.\n"
					}
				}
				back, _ := change(rt, edited, func(p project) ([]setup.Change, error) { return setup.Remove(agent, p) })
				for path, text := range edited {
					if text == added[path] {
						continue
					}
					got := back[path]
					if strings.Contains(got, "tasker setup") || strings.Contains(got, `"mcp"]`) {
						rt.Fatalf("%s still has something of tasker:\n%s", path, got)
					}
					if want := strings.Count(text, "Mine") + strings.Count(text, `"mine": "kept"`); strings.Count(got, "Mine")+strings.Count(got, `"mine": "kept"`) != want {
						rt.Fatalf("%s lost what a person wrote:\n%q\nwas\n%q", path, got, text)
					}
					if before := p[path]; !strings.HasSuffix(path, ".json") && !strings.Contains(got, before) {
						rt.Fatalf("%s lost what was there before:\n%q\nwas\n%q", path, got, before)
					}
				}
			})
		})
	}
}

// change applies what a function computes; refused says that it declined, which must leave nothing half done.
func change(t *rapid.T, p project, compute func(project) ([]setup.Change, error)) (out project, refused bool) {
	changes, err := compute(p)
	if fault.Is(err, fault.Declined) {
		return p, true
	}
	if err != nil {
		t.Fatal(err)
	}
	out = maps.Clone(p)
	for _, c := range changes {
		if before, there := p[c.Path]; string(c.Before) != before || (c.Before != nil) != there {
			t.Fatal(fmt.Sprintf("%s was %q, and the change says %q", c.Path, before, c.Before))
		}
		if c.After == nil {
			delete(out, c.Path)
		} else {
			out[c.Path] = string(c.After)
		}
	}
	return out, false
}
