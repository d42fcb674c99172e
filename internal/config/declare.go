package config

import "slices"

// Declare returns the text of the configuration file with a human added to its actors; everything else stays as
// written. It returns false if there is no file, or only one of an older shape.
func (l *Loaded) Declare(actor string) (text []byte, ok bool) {
	if l.File == "" || l.old || l.file.Src == nil || l.file.Kind != '{' || len(l.file.Members) == 0 {
		return nil, false
	}
	insert := func(from, to int64, added string) ([]byte, bool) {
		src := l.file.Src.Text
		return slices.Concat(src[:from], []byte(added), src[to:]), true
	}
	line := "\n    " + Declaration(actor)
	actors := l.file.Get("actors")
	switch {
	case actors == nil:
		end := l.file.Members[len(l.file.Members)-1].Node.End
		return insert(end, end, ",\n  \"actors\": ["+line+"\n  ]")
	case actors.Kind != '[':
		return nil, false
	case len(actors.Items) == 0:
		return insert(actors.At, actors.End, "["+line+"\n  ]")
	}
	end := actors.Items[len(actors.Items)-1].End
	return insert(end, end, ","+line)
}
