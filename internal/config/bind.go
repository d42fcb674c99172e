package config

import (
	"reflect"
	"strings"
	"sync"
	"time"
)

// bind fills the Go value from a checked tree. What the tree leaves out takes its declared default: outside of lists
// and mappings the defaults layer has put it there, inside of them it is done here.
func bind(v reflect.Value, n *node, k *Key) {
	if n == nil && k.Default != "" {
		n = literal(k.Default)
	}
	switch k.Type {
	case object:
		bindObject(v, n, k)
	case mapping:
		v.Set(reflect.MakeMap(v.Type()))
		if n == nil {
			return
		}
		for _, m := range n.members {
			elem := reflect.New(v.Type().Elem()).Elem()
			bind(elem, m.node, k.Elem)
			v.SetMapIndex(reflect.ValueOf(m.name), elem)
		}
	case list:
		if v.Kind() == reflect.Slice {
			count := 0
			if n != nil {
				count = len(n.items)
			}
			v.Set(reflect.MakeSlice(v.Type(), count, count))
		}
		if n == nil {
			return
		}
		for i, item := range n.items {
			bind(v.Index(i), item, k.Elem)
		}
	default:
		if n != nil {
			bindScalar(v, n)
		}
	}
}

func bindObject(v reflect.Value, n *node, k *Key) {
	if v.Kind() == reflect.Pointer { // an object that means nothing without its required keys
		for _, sub := range k.Keys {
			if sub.Required && n.get(sub.Name) == nil {
				return
			}
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	t := v.Type()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		bind(v.Field(i), n.get(name), k.key(name))
	}
}

func bindScalar(v reflect.Value, n *node) {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		d, _, _ := readDuration(n.text)
		v.SetInt(int64(d))
	case v.Kind() == reflect.Bool:
		v.SetBool(n.text == "true")
	case v.Kind() == reflect.Int:
		i, _ := n.whole()
		v.SetInt(i)
	default:
		v.SetString(n.text)
	}
}

// literal reads a default of the declaration, the common forms without the parser.
func literal(json string) *node {
	switch json {
	case "true", "false":
		return &node{kind: kBool, text: json, src: defaultsSource}
	case "[]":
		return &node{kind: kList, src: defaultsSource}
	case "{}":
		return &node{kind: kObject, src: defaultsSource}
	}
	if inner := strings.Trim(json, `"`); len(inner) == len(json)-2 && json[0] == '"' && !strings.Contains(inner, `\`) {
		return &node{kind: kString, text: inner, src: defaultsSource}
	}
	n, faults := parse(&source{layer: DefaultsLayer, text: []byte(json)})
	if len(faults) > 0 {
		panic("config: the declaration has a default that is no JSON: " + json)
	}
	return n
}

var defaultsSource = &source{layer: DefaultsLayer}

// defaults is the lowest layer: every declared default outside of lists and mappings.
var defaults = sync.OnceValue(func() *node {
	var tree func(k *Key) *node
	tree = func(k *Key) *node {
		if k.Type != object {
			if k.Default == "" || k.Ignored {
				return nil
			}
			return literal(k.Default)
		}
		n := &node{kind: kObject, src: defaultsSource}
		for _, sub := range k.Keys {
			if child := tree(sub); child != nil {
				n.members = append(n.members, member{name: sub.Name, node: child})
			}
		}
		return n
	}
	return tree(&format)
})
