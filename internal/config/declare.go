package config

// Declare returns the text of the configuration file with a human added to its actors; everything else stays as
// written. It returns false if there is no file, or only one of an older shape.
func (l *Loaded) Declare(actor string) (text []byte, ok bool) {
	if l.File == "" || l.old || l.file.Src == nil || l.file.Kind != '{' || len(l.file.Members) == 0 {
		return nil, false
	}
	src := l.file.Src.Text
	line := "\n    " + Declaration(actor)
	actors := l.file.Get("actors")
	switch {
	case actors == nil:
		end := last(l.file)
		return splice(src, end, end, []byte(",\n  \"actors\": ["+line+"\n  ]")), true
	case actors.Kind != '[':
		return nil, false
	case len(actors.Items) == 0:
		return splice(src, actors.At, actors.End, []byte("["+line+"\n  ]")), true
	}
	end := actors.Items[len(actors.Items)-1].End
	return splice(src, end, end, []byte(","+line)), true
}
