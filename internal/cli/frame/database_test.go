package frame

import "testing"

func TestTheDatabaseIsTheFlagsTheEnvironmentsOrUnderTheDataDirectory(t *testing.T) {
	for _, c := range []struct {
		flag string
		env  map[string]string
		want string
	}{
		{"x.db", map[string]string{"TASKER_DB": "/y.db"}, "/repo/x.db"},
		{"", map[string]string{"TASKER_DB": "/y.db", "HOME": "/home/me"}, "/y.db"},
		{"", map[string]string{"TASKER_DB": "postgres://h/d"}, "postgres://h/d"},
		{"", map[string]string{"XDG_DATA_HOME": "/data", "HOME": "/home/me"}, "/data/tasker/tasker.db"},
		{"", map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/home/me"}, "/home/me/.local/share/tasker/tasker.db"},
		{"", map[string]string{}, "/repo/.tasker/tasker.db"},
	} {
		f := New(Process{Dir: "/repo", Env: func(n string) (string, bool) { v, ok := c.env[n]; return v, ok }}, Wiring{})
		f.Flags.DB = c.flag
		if got := f.Database(); got != c.want {
			t.Errorf("--db %q, %v: %s, want %s", c.flag, c.env, got, c.want)
		}
	}
}
