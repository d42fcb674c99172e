package words

import (
	"strconv"
	"strings"
	"time"
)

// Day returns the day that a person means, as 2026-03-31: today, tomorrow, a day of the week by its name or the first
// three letters (the next one, or a week ahead if it is that day today), or days and weeks ahead, as +3d or +2w. Any
// other text is returned unchanged.
func Day(text string, now time.Time) string {
	word := strings.ToLower(strings.TrimSpace(text))
	days, ok := 0, true
	switch {
	case word == "today":
	case word == "tomorrow":
		days = 1
	case strings.HasPrefix(word, "+") && len(word) > 2:
		n, err := strconv.Atoi(word[1 : len(word)-1])
		unit := map[byte]int{'d': 1, 'w': 7}[word[len(word)-1]]
		days, ok = n*unit, err == nil && n >= 0 && n <= 10_000 && unit > 0
	default:
		days, ok = untilWeekday(word, now.Weekday())
	}
	if !ok {
		return text
	}
	return now.AddDate(0, 0, days).Format(time.DateOnly)
}

// untilWeekday returns the number of days until the named day of the week, 1 to 7.
func untilWeekday(word string, today time.Weekday) (int, bool) {
	if len(word) < 3 {
		return 0, false
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.HasPrefix(strings.ToLower(d.String()), word) {
			return (int(d-today)+6)%7 + 1, true
		}
	}
	return 0, false
}
