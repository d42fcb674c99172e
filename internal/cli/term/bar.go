package term

import (
	"fmt"
	"strings"
)

// barColumns is how wide a bar is.
const barColumns = 30

// Bar paints a progress bar over the cursor's line. If the total is unknown, or nothing is counted yet, a mark moves
// along the bar instead: n is how often it was painted.
func (t *Terminal) Bar(what string, done, total int64, n int) {
	var bar []byte
	count := ""
	if total > 0 && done > 0 {
		full := int(min(done*barColumns/total, barColumns))
		bar = append([]byte(strings.Repeat("#", full)), strings.Repeat("-", barColumns-full)...)
		count = fmt.Sprintf(" %d%%", min(done*100/total, 100))
	} else {
		bar = []byte(strings.Repeat("-", barColumns))
		bar[n%barColumns] = '#'
		if done > 0 {
			count = fmt.Sprintf(" %d", done)
		}
	}
	t.raw("\r\x1b[K" + Inert(what, false) + " [" + string(bar) + "]" + count)
}

// OverBar prints over the bar, which is then painted again below.
func (t *Terminal) OverBar(text string) { t.raw("\r\x1b[K" + Inert(text, true)) }

// EndBar clears the bar's line.
func (t *Terminal) EndBar() { t.raw("\r\x1b[K") }
