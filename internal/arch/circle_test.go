package arch_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// arrows are the imports between rooms: from, to, and the files that make each.
type arrows map[string]map[string][]string

// arrowsOf returns the imports between the rooms of the module: the folders directly below internal/ and below test/.
func arrowsOf(pkgs []pkg) arrows {
	out := arrows{}
	for _, p := range pkgs {
		from := roomOf(p.ImportPath)
		if from == "" {
			continue
		}
		if out[from] == nil {
			out[from] = map[string][]string{}
		}
		for _, f := range p.files {
			for _, path := range f.imports {
				if to := roomOf(path); to != "" && to != from {
					out[from][to] = append(out[from][to], f.name)
				}
			}
		}
	}
	return out
}

// roomOf returns the room of a package by its import path, or "" where it is in none.
func roomOf(path string) string {
	path, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	parts := strings.Split(path, "/")
	switch {
	case len(parts) > 1 && parts[0] == "internal":
		return parts[1]
	case len(parts) > 1 && parts[0] == "test":
		return "test/" + parts[1]
	}
	return ""
}

// circles returns the rooms that a room reaches and that reach it: take away, from the rest, whatever imports nothing
// that is left, or is imported by nothing that is left, until nothing changes.
func (a arrows) circles() []string {
	left := slices.Sorted(maps.Keys(a))
	for {
		kept := slices.DeleteFunc(slices.Clone(left), func(room string) bool {
			imports := slices.ContainsFunc(left, func(to string) bool { return len(a[room][to]) > 0 })
			imported := slices.ContainsFunc(left, func(from string) bool { return len(a[from][room]) > 0 })
			return !imports || !imported
		})
		if len(kept) == len(left) {
			return left
		}
		left = kept
	}
}

// A newcomer who looks for the place of something must be able to say which room comes first.
func TestNoRoomsFormACircle(t *testing.T) {
	a := arrowsOf(load(t))
	rooms := a.circles()
	for _, from := range rooms {
		for _, to := range rooms {
			if files := a[from][to]; len(files) > 0 {
				t.Errorf("%s imports %s, which leads back to it: %s", from, to, strings.Join(slices.Compact(slices.Sorted(slices.Values(files))), ", "))
			}
		}
	}
}

func TestACircleIsFound(t *testing.T) {
	got := arrowsOf([]pkg{
		in("internal/task", "tasker/internal/fault"),
		in("internal/fault"),
		in("internal/core", "tasker/internal/task", "tasker/internal/store/rows"),
		in("internal/store", "tasker/internal/bundle"),
		in("internal/bundle/short", "tasker/internal/core"),
		in("internal/cli", "tasker/internal/core"),
	}).circles()
	if want := []string{"bundle", "core", "store"}; !slices.Equal(got, want) {
		t.Errorf("circles = %q, want %q", got, want)
	}
}

// The floors of the page are the floors of the house: a room stands once, and imports only what stands below it.
func TestEveryArrowGoesDownInThePicture(t *testing.T) {
	_, picture, _ := strings.Cut(pageText(t, pictureOfTheHouse), "\n## The picture\n")
	_, picture, _ = strings.Cut(picture, "\n```\n")
	picture, _, _ = strings.Cut(picture, "\n```\n")
	floor := map[string]int{}
	for i, line := range strings.Split(picture, "\n") {
		rooms, _, _ := strings.Cut(line, "   ")
		for _, room := range strings.Fields(rooms) {
			if floor[room] != 0 {
				t.Errorf("%s stands twice in the picture", room)
			}
			floor[room] = i + 1
		}
	}
	var shown []string
	for room := range floor {
		shown = append(shown, room)
	}
	slices.Sort(shown)
	if rooms := roomsOf(t); !slices.Equal(shown, rooms) {
		t.Fatalf("the picture shows the rooms %q; internal/ has %q", shown, rooms)
	}
	for from, to := range arrowsOf(load(t)) {
		for room, files := range to {
			if floor[from] != 0 && floor[room] <= floor[from] {
				t.Errorf("%s imports %s, which is not below it in the picture: %s", from, room, strings.Join(slices.Compact(slices.Sorted(slices.Values(files))), ", "))
			}
		}
	}
}
