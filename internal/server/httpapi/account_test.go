package httpapi

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/fault"
)

func TestAnAccountRefusesWhatExceedsALimitAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const all, each = 100, 60
		a := newMemoryAccount(all, each)
		type held struct {
			*memoryHold
			name  string
			bytes int64
		}
		var holds []held
		sum := func(name string) (n int64) {
			for _, h := range holds {
				if name == "" || h.name == name {
					n += h.bytes
				}
			}
			return n
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n := rapid.Int64Range(1, 50).Draw(t, "bytes")
			fits := func(name string) bool { return sum(name)+n <= each && sum("")+n <= all }
			switch act := rapid.SampledFrom([]string{"take", "grow", "shrink", "release"}).Draw(t, "act"); {
			case act == "take":
				name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "client")
				want := fits(name)
				h, err := a.Take(name, n)
				if (err == nil) != want || err != nil && !fault.Is(err, fault.Unavailable) {
					t.Fatalf("%s takes %d, holding %d of %d in all: %v", name, n, sum(name), sum(""), err)
				}
				if err == nil {
					holds = append(holds, held{h, name, n})
				}
			case len(holds) == 0:
			default:
				i := rapid.IntRange(0, len(holds)-1).Draw(t, "hold")
				h := &holds[i]
				switch act {
				case "grow":
					want := fits(h.name)
					err := h.Grow(n)
					if (err == nil) != want {
						t.Fatalf("%s grows by %d, holding %d of %d in all: %v", h.name, n, sum(h.name), sum(""), err)
					}
					if err == nil {
						h.bytes += n
					}
				case "shrink":
					n = min(n, h.bytes)
					h.Shrink(n)
					h.bytes -= n
				case "release":
					h.Release()
					holds = append(holds[:i:i], holds[i+1:]...)
				}
			}
			if a.Used() != sum("") {
				t.Fatalf("%d bytes are held, and %d are counted", sum(""), a.Used())
			}
		}
	})
}

func TestWhatIsReleasedBesideOthersIsCountedOnce(t *testing.T) {
	a := newMemoryAccount(1000, 1000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 1000 {
				h, err := a.Take(string(rune('a'+i%3)), 1)
				if err != nil {
					t.Error(err)
					return
				}
				if err := h.Grow(2); err != nil {
					t.Error(err)
				}
				h.Release()
			}
		})
	}
	all.Wait()
	if a.Used() != 0 {
		t.Errorf("%d bytes are still counted", a.Used())
	}
}

func TestWithoutAnAccountNothingIsRefused(t *testing.T) {
	var a *memoryAccount
	h, err := a.Take("a", 1<<60)
	if err != nil || h.Grow(1<<60) != nil {
		t.Error("without an account something is refused")
	}
	h.Shrink(1)
	h.Release()
}
