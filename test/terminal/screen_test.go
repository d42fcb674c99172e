package terminal_test

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// screen is what a terminal shows: the small part of a VT100 that is used here. It ignores styles.
type screen struct {
	cells         [][]string // "" is the second half of a wide glyph
	other         [][]string // the buffer that is not shown
	row, column   int
	width, height int
	top, bottom   int  // the lines that scroll
	alternate     bool // the buffer of full-screen programs is shown
	hidden        bool // the cursor is hidden
	inserting     bool // new text shifts what follows
	rest          string
	scrolled      string // lines that scrolled out at the top
}

func newScreen(width, height int) *screen {
	s := &screen{}
	s.resize(width, height)
	return s
}

func (s *screen) blank() [][]string {
	cells := make([][]string, s.height)
	for i := range cells {
		cells[i] = spaces(s.width)
	}
	return cells
}

func (s *screen) resize(width, height int) {
	s.width, s.height = width, height
	s.cells, s.other = s.blank(), s.blank()
	s.row, s.column = 0, 0
	s.top, s.bottom = 0, height-1
}

// String returns the lines that are shown.
func (s *screen) String() string {
	var b strings.Builder
	for _, row := range s.cells {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return b.String()
}

// write shows what a program writes.
func (s *screen) write(p string) {
	s.rest += p
	for s.rest != "" {
		n := s.step(s.rest)
		if n == 0 {
			return // the end of a sequence is still to come
		}
		s.rest = s.rest[n:]
	}
}

// step shows the next part of a text, and returns how many bytes it took; 0 if it is incomplete.
func (s *screen) step(text string) int {
	switch c := text[0]; {
	case c == 0x1b:
		return s.escape(text)
	case c == '\r':
		s.column = 0
	case c == '\n':
		s.down()
	case c == '\b':
		s.column = max(0, s.column-1)
	case c == '\t':
		s.column = min(s.width-1, s.column/8*8+8)
	case c < 0x20:
	default:
		if !utf8.FullRuneInString(text) {
			return 0
		}
		g := displaywidth.StringGraphemes(text)
		g.Next()
		s.put(g.Value(), g.Width())
		return len(g.Value())
	}
	return 1
}

func (s *screen) put(glyph string, width int) {
	if width == 0 {
		return
	}
	if s.column+width > s.width {
		s.column = 0
		s.down()
	}
	if s.inserting {
		s.insert(width)
	}
	s.cells[s.row][s.column] = glyph
	if width == 2 {
		s.cells[s.row][s.column+1] = ""
	}
	s.column += width
}

// insert shifts the text from the cursor on to the right.
func (s *screen) insert(n int) {
	row := s.cells[s.row]
	s.cells[s.row] = append(append(row[:s.column:s.column], spaces(n)...), row[s.column:]...)[:s.width]
}

// spaces returns empty cells.
func spaces(n int) []string { return strings.Split(strings.Repeat(" ", n), "") }

func (s *screen) down() {
	switch {
	case s.row == s.bottom:
		if s.top == 0 {
			s.scrolled += strings.TrimRight(strings.Join(s.cells[0], ""), " ") + "\n"
		}
		s.scroll(s.top, 1)
	case s.row < s.height-1:
		s.row++
	}
}

func (s *screen) up() {
	switch {
	case s.row == s.top:
		s.scroll(s.top, -1)
	case s.row > 0:
		s.row--
	}
}

// scroll moves the lines from the given one to the last that scrolls up by n, or down if n is negative.
func (s *screen) scroll(from, n int) {
	for ; n > 0; n-- {
		s.cells = slices.Insert(slices.Delete(s.cells, from, from+1), s.bottom, spaces(s.width))
	}
	for ; n < 0; n++ {
		s.cells = slices.Insert(slices.Delete(s.cells, s.bottom, s.bottom+1), from, spaces(s.width))
	}
}

// escape executes an escape sequence.
func (s *screen) escape(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '[':
	case ']', 'P', '_': // up to its terminator
		end := strings.IndexAny(text[2:], "\x07\x1b")
		if end < 0 {
			return 0
		}
		if text[2+end] == 0x1b {
			return 2 + end + 2
		}
		return 2 + end + 1
	case 'D':
		s.down()
		return 2
	case 'M':
		s.up()
		return 2
	case '(', ')': // character sets
		return min(3, len(text)/3*3)
	default:
		return 2
	}
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
	if end < 0 {
		return 0
	}
	s.control(text[2:2+end], text[2+end])
	return 2 + end + 1
}

// control executes a control sequence.
func (s *screen) control(parameters string, final byte) {
	if private, ok := strings.CutPrefix(parameters, "?"); ok {
		s.mode(private, final)
		return
	}
	var n [2]int
	for i, p := range strings.SplitN(parameters, ";", 2) {
		n[i], _ = strconv.Atoi(p)
	}
	one := max(1, n[0])
	switch final {
	case 'H', 'f':
		s.row, s.column = min(one, s.height)-1, min(max(1, n[1]), s.width)-1
	case 'A':
		s.row = max(0, s.row-one)
	case 'B':
		s.row = min(s.height-1, s.row+one)
	case 'C':
		s.column = min(s.width-1, s.column+one)
	case 'D':
		s.column = max(0, s.column-one)
	case 'G':
		s.column = min(one, s.width) - 1
	case 'd':
		s.row = min(one, s.height) - 1
	case 'K':
		from, to := s.column, s.width
		if n[0] > 0 {
			from = 0
		}
		if n[0] == 1 {
			to = s.column + 1
		}
		s.erase(s.row, from, to)
	case 'J':
		if n[0] == 0 {
			s.erase(s.row, s.column, s.width)
		}
		for row := range s.height {
			if n[0] >= 2 || row > s.row {
				s.erase(row, 0, s.width)
			}
		}
	case 'h', 'l':
		if n[0] == 4 {
			s.inserting = final == 'h'
		}
	case 'r':
		s.top, s.bottom = one-1, s.height-1
		if n[1] > 0 {
			s.bottom = min(n[1], s.height) - 1
		}
		s.row, s.column = 0, 0
	case 'S':
		s.scroll(s.top, one)
	case 'T':
		s.scroll(s.top, -one)
	case 'L':
		s.scroll(s.row, -one)
	case 'M':
		s.scroll(s.row, one)
	case '@':
		s.insert(one)
	case 'P':
		row := s.cells[s.row]
		s.cells[s.row] = append(append(row[:s.column:s.column], row[min(s.width, s.column+one):]...), spaces(min(one, s.width-s.column))...)
	case 'X':
		s.erase(s.row, s.column, min(s.width, s.column+one))
	}
}

func (s *screen) erase(row, from, to int) {
	for c := from; c < to; c++ {
		s.cells[row][c] = " "
	}
}

func (s *screen) mode(number string, final byte) {
	on := final == 'h'
	switch {
	case final != 'h' && final != 'l':
	case number == "25":
		s.hidden = !on
	case number == "1049" && on != s.alternate:
		s.alternate = on
		s.cells, s.other = s.other, s.cells
		if on {
			s.cells = s.blank()
		}
	}
}
