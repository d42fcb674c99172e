package words_test

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/text/words"
)

func TestNearest(t *testing.T) {
	names := []string{"title", "body", "deps", "criteria", "mayExecute", "a"}
	for _, c := range []struct{ name, near, closest string }{
		{"title", "title", "title"},
		{"tilte", "title", "title"},
		{"Title", "title", "title"},
		{"TITEL", "title", "title"},
		{"dep", "deps", "deps"},
		{"mayexecute", "mayExecute", "mayExecute"},
		{"critera", "criteria", "criteria"},
		{"somethingElse", "", "title"},
		{"b", "a", "a"},
		{"crit", "criteria", "criteria"},
		{"criterion", "criteria", "criteria"},
		{"criminal", "", "criteria"},
		{"cr", "", "a"},
		{strings.Repeat("x", 101), "", "mayExecute"},
	} {
		if got := words.Nearest(c.name, names); got != c.near {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.near)
		}
		if got := words.Closest(c.name, names); len(c.name) < 20 && got != c.closest {
			t.Errorf("Closest(%q) = %q, want %q", c.name, got, c.closest)
		}
	}
	if got := words.Nearest("x", []string(nil)) + words.Closest("x", []string(nil)); got != "" {
		t.Errorf("without options got %q", got)
	}
	if got := words.Nearest("ab", []string{"abd", "abc"}); got != "abd" {
		t.Errorf("of equals got %q, want the first", got)
	}
	if got := words.Nearest("stauts", []string{"start", "status"}); got != "status" {
		t.Errorf("of two neighbours in the wrong order got %q", got)
	}
	if got := words.Nearest("Ab", []string{"ab", "Ab"}); got != "Ab" {
		t.Errorf("the name itself is among them, got %q", got)
	}
	if got := words.Meant("tilte", names) + words.Meant("nothing like it", names); got != "; did you mean title?" {
		t.Errorf("Meant = %q", got)
	}
}

func TestTexts(t *testing.T) {
	long := strings.Repeat("é", 61)
	for _, c := range [][2]string{
		{words.Cut("abc", 3), "abc"},
		{words.Cut("abcd", 3), "abc…"},
		{words.Cut("ééé", 3), "ééé"},
		{words.Quoted("a\n\"b\""), `"a\n\"b\""`},
		{words.Quoted(long[:120]), `"` + long[:120] + `"`},
		{words.Quoted(long), `"` + strings.Repeat("é", 60) + `…"`},
		{words.Shown("a\xffb"), "a\ufffdb"},
		{words.Shown(strings.Repeat("x", 101)), strings.Repeat("x", 100) + "…"},
		{words.Redacted("postgres://ann:secret@db/x y"), "postgres://ann:xxxxx@db/x%20y"},
		{words.Redacted("C:\\x y@z"), "C:\\x y@z"},
		{words.Redacted("postgres://ann:se%cret@db/x"), "postgres://xxxxx@db/x"},
		{words.Redacted("postgres://db/x?user=ann&password=secret&sslmode=require"), "postgres://db/x?user=ann&password=xxxxx&sslmode=require"},
		{words.Redacted("host=db password=secret user=ann"), "host=db password=xxxxx user=ann"},
		{words.Redacted(`host = db sslpassword = 'a \' b' PASSWORD='not closed`), `host = db sslpassword = xxxxx PASSWORD=xxxxx`},
		{words.Redacted("/data/host=db/tasker.db"), "/data/host=db/tasker.db"},
		{words.Count(0, "task", "tasks"), "0 tasks"},
		{words.Count(1, "task", "tasks"), "1 task"},
		{words.Count(2, "body", "bodies"), "2 bodies"},
		{words.List([]string{}), ""},
		{words.List([]string{"a", "b", "c"}), "a, b, c"},
		{words.And([]string{"a"}), "a"},
		{words.And([]string{"a", "b", "c"}), "a, b and c"},
		{words.Some([]string{"a", "b"}, 2), "a, b"},
		{words.Some([]string{"a", "b"}, 7), "a, b and 5 more"},
		{words.Some(strings.Split("abcdefghijkl", ""), 12), "a, b, c, d, e, f, g, h, i, j and 2 more"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 3, 31, 17, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                               "just now",
		time.Second / 2:                 "just now",
		59 * time.Second:                "59s ago",
		90 * time.Second:                "2m ago",
		59 * time.Minute:                "59m ago",
		59*time.Minute + 40*time.Second: "1h ago",
		89 * time.Minute:                "1h 29m ago",
		2 * time.Hour:                   "2h ago",
		6*time.Hour + 20*time.Minute:    "6h ago",
		47 * time.Hour:                  "47h ago",
		48 * time.Hour:                  "2d ago",
		-5*time.Minute - time.Second:    "in 5m",
		-3*24*time.Hour - time.Second:   "in 3d",
	} {
		if got := words.Ago(now.Add(-d), now); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestWhatNamesADatabaseByKeywords(t *testing.T) {
	for text, want := range map[string]bool{
		"host=db dbname=x": true, "dbname = x": true, "connect_timeout=3 host=db": true, "PASSWORD=x": true, "application_name='a b' user=ann": true,
		"": false, "=": false, "tasker.db": false, "a=b": false, "a=b/tasker.db": false, "/data/host=db/tasker.db": false, "./host=db": false,
		"postgres://db/x?password=y": false,
	} {
		if words.Keywords(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
