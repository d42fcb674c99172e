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
	if days < yearZero || days > yearLast {
		return t.Go().AppendFormat(b, timeLayout)
	}
	year, month, dom := civil(days)
	sec := rest / 1000
	b = append(pair(pair(b, year/100), year%100), '-')
	b = append(pair(b, month), '-')
	b = append(pair(b, dom), 'T')
	b = append(pair(b, uint32(sec/3600)), ':')
	b = append(pair(b, uint32(sec/60%60)), ':')
	b = append(pair(b, uint32(sec%60)), '.')
	milli := uint32(rest % 1000)
	return append(pair(append(b, byte('0'+milli/100)), milli%100), 'Z')
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// The days from 1970-01-01 to 0000-03-01 and to 9999-12-31.
const yearZero, yearLast = -719_468, 2_932_896

// civil gives the date that lies some days after 1970-01-01, from 0000-03-01 on: Neri and Schneider's way, which takes
// multiplications in place of most divisions. Years are counted from March, so that the leap day is the last of its year.
func civil(days int64) (year, month, day uint32) {
	n := 4*uint32(days-yearZero) + 3
	century, inCentury := n/146_097, n%146_097/4
	p := 2_939_745 * uint64(4*inCentury+3)
	year, inYear := 100*century+uint32(p>>32), uint32(p)/2_939_745/4
	m := 2141*inYear + 197_913
	month, day = m>>16, m&0xffff/2141+1
	if inYear >= 306 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// pair writes a number below 100 in two digits.
func pair(b []byte, v uint32) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }
