package config

import (
	"cmp"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// configOf returns the configuration of a checked tree.
func configOf(root *strict.Node) *Config {
	out := &Config{}
	bind(reflect.ValueOf(out).Elem(), root, &format.Root)
	return out
}

// bind fills the Go value from a checked tree. Keys that the tree leaves out get their declared defaults: outside lists
// and mappings the defaults layer has already added them, inside them bind does.
func bind(v reflect.Value, n *strict.Node, k *format.Key) {
	if n == nil && k.Default != "" {
		n = literal(k.Default)
	}
	n = cmp.Or(n, &strict.Node{}) // what is not there binds to the zero value
	switch k.Type {
	case format.Object:
		bindObject(v, n, k)
	case format.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, m := range n.Members {
			elem := reflect.New(v.Type().Elem()).Elem()
			bind(elem, m.Node, k.Elem)
			v.SetMapIndex(reflect.ValueOf(m.Name), elem)
		}
	case format.List:
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
		}
		for i, item := range n.Items {
			bind(v.Index(i), item, k.Elem)
		}
	default:
		bindScalar(v, n)
	}
}

func bindObject(v reflect.Value, n *strict.Node, k *format.Key) {
	if v.Kind() == reflect.Pointer { // an object that means nothing without its required keys
		for _, sub := range k.Keys {
			if sub.Required && n.Get(sub.Name) == nil {
				return
			}
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	t := v.Type()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		bind(v.Field(i), n.Get(name), k.Key(name))
	}
}

func bindScalar(v reflect.Value, n *strict.Node) {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		d, _, _ := format.ReadDuration(n.Text)
		v.SetInt(int64(d))
	case v.Kind() == reflect.Bool:
		v.SetBool(n.Text == "true")
	case v.Kind() == reflect.Int:
		i, _ := n.Whole()
		v.SetInt(i)
	default:
		v.SetString(n.Text)
	}
}

// literal reads a default of the declaration, the common forms without the parser.
func literal(json string) *strict.Node {
	switch json {
	case "true", "false":
		return &strict.Node{Kind: jsontext.Kind(json[0]), Text: json, Src: defaultsSource}
	case "[]":
		return &strict.Node{Kind: '[', Src: defaultsSource}
	case "{}":
		return &strict.Node{Kind: '{', Src: defaultsSource}
	}
	if inner := strings.Trim(json, `"`); len(inner) == len(json)-2 && json[0] == '"' && !strings.Contains(inner, `\`) {
		return &strict.Node{Kind: '"', Text: inner, Src: defaultsSource}
	}
	n, faults := format.Parse(&strict.Source{Layer: format.DefaultsLayer, Text: []byte(json)})
	if len(faults) > 0 {
		panic("config: the declaration has a default that is not JSON: " + json)
	}
	return n
}

var defaultsSource = &strict.Source{Layer: format.DefaultsLayer}

// defaults is the lowest layer: every declared default outside lists and mappings.
var defaults = sync.OnceValue(func() *strict.Node {
	var layer func(k *format.Key) *strict.Node
	layer = func(k *format.Key) *strict.Node {
		if k.Type != format.Object {
			if k.Default == "" || k.Ignored {
				return nil
			}
			return literal(k.Default)
		}
		n := &strict.Node{Kind: '{', Src: defaultsSource}
		for _, sub := range k.Keys {
			if child := layer(sub); child != nil {
				n.Members = append(n.Members, strict.NodeMember{Name: sub.Name, Node: child})
			}
		}
		return n
	}
	return layer(&format.Root)
})
