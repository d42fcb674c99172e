package calls

import (
	"strconv"
	"strings"
	"time"

	"tasker/internal/text/words"
)

// This file reads the times that agents tell. What it cannot read is the zero time: the runner then waits as after a limit
// that told nothing.

// epoch reads seconds since 1970.
func epoch(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(n, 0)
}

var amounts = words.Pattern(`(?i)(\d{1,6})\s*(d|h|m|s)[a-z]*`)

// after reads a duration in words: 2 days 17 hours 14 minutes, 13h18m14s.
func after(text string, now time.Time) time.Time {
	units := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
	var sum time.Duration
	for _, m := range amounts().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1]) // at most six digits
		sum += time.Duration(n) * units[strings.ToLower(m[2])]
	}
	if sum == 0 {
		return time.Time{}
	}
	return now.Add(sum)
}

var moment = words.Pattern(`(?i)^(?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? )?(\d{1,2})(?::(\d\d))? ?(am|pm)?(?: \(([A-Za-z_/+0-9-]+)\))?`)

// at reads a moment by the clock, with or without a day and a zone: 3pm (Europe/Berlin), Oct 3rd, 2026 3:04 PM. Without a
// day it is the next time that the clock shows it.
func at(text string, now time.Time) time.Time {
	m := moment().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return time.Time{}
	}
	zone := now.Location()
	if m[7] != "" {
		var err error
		if zone, err = time.LoadLocation(m[7]); err != nil {
			return time.Time{}
		}
	}
	hour, _ := strconv.Atoi(m[4])
	minute, _ := strconv.Atoi(m[5])
	switch half := strings.ToLower(m[6]); {
	case half == "" && m[5] == "" || hour > 23 || minute > 59 || half != "" && (hour < 1 || hour > 12):
		return time.Time{}
	case half != "":
		hour %= 12
		if half == "pm" {
			hour += 12
		}
	}
	here := now.In(zone)
	if m[1] == "" {
		t := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
		if !t.After(now) {
			t = time.Date(here.Year(), here.Month(), here.Day()+1, hour, minute, 0, 0, zone)
		}
		return t
	}
	month, err := time.Parse("Jan", strings.ToUpper(m[1][:1])+strings.ToLower(m[1][1:]))
	if err != nil {
		return time.Time{}
	}
	day, _ := strconv.Atoi(m[2])
	year, _ := strconv.Atoi(m[3])
	if year == 0 {
		year = here.Year()
	}
	t := time.Date(year, month.Month(), day, hour, minute, 0, 0, zone)
	if m[3] == "" && !t.After(now) {
		t = t.AddDate(1, 0, 0)
	}
	return t
}
