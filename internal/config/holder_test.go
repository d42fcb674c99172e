package config

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tasker/internal/fault"
)

// counting counts how often files are read.
type counting struct {
	memFiles
	reads int
}

func (c *counting) ReadFile(name string) ([]byte, error) {
	c.reads++
	return c.memFiles.ReadFile(name)
}

func held4(t *testing.T, files memFiles, now func() time.Time) (*Holder, *counting) {
	t.Helper()
	c := &counting{memFiles: files}
	h, err := NewHolder(Options{Dir: "/repo/sub", Files: c, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return h, c
}

func base(t *testing.T, h *Holder) string {
	t.Helper()
	e, err := h.Current().For("demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.Branch.Base
}

func baseText(base string) string {
	return fmt.Sprintf(`{"version":1,"project":"demo","branch":{"base":%q}}`, base)
}

func TestHolderSeesAChangedFileWithTheNextRequestAndReadsOnlyThen(t *testing.T) {
	t0 := time.Unix(1000, 0)
	files := memFiles{filePath: {baseText("one"), t0}}
	h, c := held4(t, files, nil)
	if base(t, h) != "one" {
		t.Fatal("the first reading is not the file's")
	}
	before := c.reads
	for range 10 {
		h.Current()
	}
	if c.reads != before {
		t.Errorf("%d reads of an unchanged file", c.reads-before)
	}
	files[filePath] = memFile{baseText("two"), t0.Add(time.Second)}
	if base(t, h) != "two" {
		t.Error("a new time stamp is not seen")
	}
	files[filePath] = memFile{baseText("three"), t0.Add(time.Second)}
	if base(t, h) != "three" {
		t.Error("a new size is not seen")
	}
	files[localPath] = memFile{`{"branch":{"base":"local"}}`, t0}
	if base(t, h) != "local" {
		t.Error("a local file that appears is not seen")
	}
	delete(files, localPath)
	if base(t, h) != "three" {
		t.Error("the removal of a local file is not seen")
	}
	files["/repo/sub/.tasker.json"] = memFile{baseText("nearer"), t0}
	if base(t, h) != "nearer" || h.Problem() != nil {
		t.Error("a nearer file that appears is not seen")
	}
}

func TestHolderKeepsTheLastGoodConfigurationAndSaysWhy(t *testing.T) {
	t0 := time.Unix(1000, 0)
	files := memFiles{filePath: {baseText("good"), t0}}
	h, _ := held4(t, files, nil)
	files[filePath] = memFile{`{"version":1,"project":"demo","brunch":{}}`, t0.Add(time.Second)}
	if base(t, h) != "good" {
		t.Error("an invalid file replaced the configuration")
	}
	if p := h.Problem(); p == nil || !strings.Contains(p.Error(), "brunch") {
		t.Errorf("problem: %v", p)
	}
	files[filePath] = memFile{baseText("better"), t0.Add(2 * time.Second)}
	if base(t, h) != "better" || h.Problem() != nil {
		t.Error("a corrected file is not read")
	}
	delete(files, filePath)
	if p := h.Problem(); base(t, h) != "better" || p == nil || !strings.Contains(p.Error(), filePath+" is gone") {
		t.Errorf("the problem of a file that is gone: %v", h.Problem())
	}
	if h.Problem() == nil {
		t.Error("the second look forgets the problem")
	}
	files[filePath] = memFile{baseText("back"), t0.Add(3 * time.Second)}
	if base(t, h) != "back" || h.Problem() != nil {
		t.Error("a file that is back is not read")
	}
}

func TestHolderRefusesToStartOnAnInvalidFile(t *testing.T) {
	if _, err := NewHolder(one(`{"version":1}`)); err == nil {
		t.Error("NewHolder accepted an invalid file")
	}
}

// Two changes within the resolution of a file system's clock can have the same time and size. While a file is young,
// its text decides.
func TestHolderSeesASecondChangeUnderTheSameStamp(t *testing.T) {
	t0 := time.Unix(1000, 0)
	now := t0.Add(time.Millisecond)
	files := memFiles{filePath: {baseText("one"), t0}}
	h, c := held4(t, files, func() time.Time { return now })
	files[filePath] = memFile{baseText("two"), t0}
	if base(t, h) != "two" {
		t.Error("the second change is not seen")
	}
	first := h.Current()
	now = t0.Add(time.Minute)
	if h.Current() != first {
		t.Error("an unchanged text was computed again")
	}
	before := c.reads
	h.Current()
	if c.reads != before {
		t.Error("a file that is no longer fresh is still read each time")
	}
}

// stuck is a file system whose reads wait while it is held.
type stuck struct {
	memFiles
	held chan struct{} // nil: nothing waits
}

func (s *stuck) ReadFile(name string) ([]byte, error) {
	if s.held != nil {
		<-s.held
	}
	return s.memFiles.ReadFile(name)
}

func TestARequestDoesNotWaitForAnotherThatReadsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := &stuck{memFiles: memFiles{filePath: {baseText("one"), time.Unix(1000, 0)}}}
		h, err := NewHolder(Options{Dir: "/repo", Files: files})
		if err != nil {
			t.Fatal(err)
		}
		files.held = make(chan struct{})
		files.memFiles[filePath] = memFile{baseText("two"), time.Unix(2000, 0)}
		read := make(chan string)
		go func() { read <- base(t, h) }()
		synctest.Wait()
		for range 3 { // the first waits for a moment, the others do not
			if got := base(t, h); got != "one" {
				t.Errorf("while the file is read, %s is in force", got)
			}
		}
		close(files.held)
		if got := <-read; got != "two" {
			t.Errorf("the one that read found %s", got)
		}
		if got := base(t, h); got != "two" {
			t.Errorf("afterwards %s is in force", got)
		}
	})
}

func TestAFileOfManyFaultsIsRefusedWithTheFirstAndACount(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	_, err := NewHolder(Options{Dir: "/repo", Files: memFiles{filePath: {`{"version":1,"project":"demo"` + b.String() + "}", time.Unix(1000, 0)}}})
	e := fault.Of(err)
	if e == nil || !strings.Contains(e.Message, "60000 faults") || len(e.Missing) != 101 || e.Missing[100] != "and 59900 more" {
		t.Errorf("%v", e)
	}
	if want := filePath + ":1:31: k0: unknown key"; !strings.HasPrefix(e.Missing[0], want) {
		t.Errorf("the first is %s, want %s", e.Missing[0], want)
	}
}

func TestAListOfThousandsIsRefused(t *testing.T) {
	roles := `["r"` + strings.Repeat(`,"r"`, 1000) + `]`
	_, err := NewHolder(Options{Dir: "/repo", Files: memFiles{filePath: {`{"version":1,"project":"demo","execution":{"mayExecute":` + roles + `}}`, time.Unix(1000, 0)}}})
	if err == nil || !strings.Contains(err.Error(), "execution.mayExecute: must have at most 1000 items") {
		t.Errorf("%v", err)
	}
}
