package task

// appendMoment writes a moment in RFC 3339, UTC, with milliseconds. Answers hold many of them, and the standard
// library's layouts cost several times as much. A year of other than four digits is left to it.
func appendMoment(b []byte, t Time) []byte {
	const day = 24 * 60 * 60 * 1000
	ms := int64(t) / 1000
	if int64(t)%1000 < 0 {
		ms--
	}
	days, rest := ms/day, ms%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	year, month, dom := civil(days)
	if year < 0 || year > 9999 {
		return t.Go().AppendFormat(b, timeLayout)
	}
	b = append(digits(b, year, 4), '-')
	b = append(digits(b, month, 2), '-')
	b = append(digits(b, dom, 2), 'T')
	b = append(digits(b, int(rest/3_600_000), 2), ':')
	b = append(digits(b, int(rest/60_000%60), 2), ':')
	b = append(digits(b, int(rest/1000%60), 2), '.')
	return append(digits(b, int(rest%1000), 3), 'Z')
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// civil gives the date that lies some days after 1970-01-01. Years are counted from March, so that the leap day is
// the last of its year, in eras of 400 years, which are all of one length.
func civil(days int64) (year, month, day int) {
	const era, before = 146_097, 719_468 // days of an era, and those from 0000-03-01 to 1970-01-01
	days += before
	n := days / era
	if days%era < 0 {
		n--
	}
	doe := int(days - n*era)
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month, day = yoe+int(n)*400, mp+3, doy-(153*mp+2)/5+1
	if month > 12 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// digits writes a number with leading zeros.
func digits(b []byte, v, width int) []byte {
	at := len(b)
	b = append(b, "0000"[:width]...)
	for i := at + width - 1; i >= at; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return b
}
