package format

import (
	"cmp"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// Resolve returns the declaration of a key. The refusal lists what is allowed there and suggests the nearest name.
func Resolve(key string) ([]strict.Step, *Key, error) {
	path, err := strict.ParsePath(key)
	if err != nil {
		return nil, nil, err
	}
	k, done := &Root, ""
	for _, s := range path {
		switch {
		case s.IsIndex && k.Type == List:
			k, done = k.Elem, strict.At(done, s.Index)
			continue
		case s.IsIndex:
			return nil, nil, fault.Bad("%s is not a key: %s is not an array", key, orRoot(done))
		case k.Type == Map:
			k, done = k.Elem, strict.Join(done, s.Name)
			continue
		case k.Type == List:
			return nil, nil, fault.Bad("%s is not a key: %s is an array, name an element as %s", key, done, strict.At(done, 0))
		case k.Type != Object:
			return nil, nil, fault.Bad("%s is not a key: %s has nothing below it", key, done)
		}
		next := k.Key(s.Name)
		if next == nil {
			allowed := k.Names(FileLayer)
			e := fault.Bad("%s is not a key; allowed in %s: %s", key, orRoot(done), words.List(allowed))
			return nil, nil, e.WithHint("did you mean %s?", suggestKey(k, FileLayer, done, s.Name))
		}
		k, done = next, strict.Join(done, s.Name)
	}
	return path, k, nil
}

// FormAt returns the key that a fault at a path belongs to, if it breaks a rule about the form of a value: the key that
// layers replace as a whole, which for an element is its list.
func FormAt(path string) (key []strict.Step, ok bool) {
	key, k, err := Resolve(path)
	if err != nil || k.Rule == nil || !k.Rule.form {
		return nil, false
	}
	if key[len(key)-1].IsIndex {
		key = key[:len(key)-1]
	}
	return key, true
}

func orRoot(path string) string {
	return cmp.Or(path, "the file")
}
