package arch_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a reader can keep in mind. Past one of these, consider splitting by purpose.
const (
	manyPackageLines = 3000 // of one package, without tests
	manyMedianLines  = 700  // of the median package
	manyFileLines    = 500
	wideInterface    = 20 // methods, including those of embedded interfaces
	wideReceiver     = 60 // methods of one type
	longLine         = 160
)

// TestSizes reports what is large, and never fails: a number is no reason to bend code. `make sizes` prints it.
func TestSizes(t *testing.T) {
	for _, o := range oversized(t) {
		t.Logf("%s has %d %s (%d is a lot)", o.what, o.size, o.unit, o.limit)
	}
}

// outsize is one large thing.
type outsize struct {
	what  string
	size  int
	unit  string
	limit int
}

// oversized returns everything in the module that is large.
func oversized(t *testing.T) []outsize {
	t.Helper()
	var out []outsize
	check := func(what string, size int, unit string, limit int) {
		if size > limit {
			out = append(out, outsize{what, size, unit, limit})
		}
	}
	var sizes []int
	sources := parse(t)
	for _, p := range sources.packages() {
		lines := sources.lines(p)
		check("package "+p, lines, "lines", manyPackageLines)
		if lines > 0 && strings.Contains(sources.dirs[p], "internal") {
			sizes = append(sizes, lines)
		}
		for _, name := range sources.receivers(p) {
			check("receiver "+p+"."+name, sources.methods[p][name], "methods", wideReceiver)
		}
	}
	slices.Sort(sizes)
	check("the package in the middle", sizes[len(sizes)/2], "lines", manyMedianLines)
	for _, name := range sources.interfaceNames() {
		check("interface "+name, sources.width(name, map[string]bool{}), "methods", wideInterface)
	}
	for _, f := range texts(t) {
		check("file "+f.name, bytes.Count(f.src, []byte("\n")), "lines", manyFileLines)
		for i, line := range bytes.Split(f.src, []byte("\n")) {
			check(fmt.Sprintf("line %s:%d", f.name, i+1), utf8.RuneCount(line), "characters", longLine)
		}
	}
	return out
}

// text is a file that people read as source.
type text struct {
	name string
	src  []byte
}

// sourceKinds are the extensions of files that are read as source. Prose, data and golden files are not.
var sourceKinds = []string{".go", ".html", ".css", ".ts", ".js", ".sql", ".sh"}

// texts returns every source file that git tracks or would track, except generated ones.
func texts(t *testing.T) []text {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	cmd.Dir = "../.."
	list, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var out []text
	for name := range strings.SplitSeq(string(list), "\x00") {
		if !slices.Contains(sourceKinds, path.Ext(name)) || strings.Contains(name, "testdata/") {
			continue
		}
		src, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) { // removed, but not committed yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !generated(src) {
			out = append(out, text{strings.TrimPrefix(name, "internal/"), src})
		}
	}
	return out
}

// generated reports whether a program wrote the file, as Go marks it in its first lines.
func generated(src []byte) bool {
	head := src[:min(len(src), 400)]
	return bytes.Contains(head, []byte("Code generated ")) && bytes.Contains(head, []byte("DO NOT EDIT."))
}

// syntax is what the sizes are computed from: the shipped files of every package, parsed.
type syntax struct {
	dirs       map[string]string             // of packages, by their names in the rules
	count      map[string]int                // lines
	methods    map[string]map[string]int     // by package and receiver
	interfaces map[string]*ast.InterfaceType // by "package.Name"
	imports    map[*ast.InterfaceType]map[string]string
}

func parse(t *testing.T) *syntax {
	t.Helper()
	s := &syntax{
		map[string]string{},
		map[string]int{},
		map[string]map[string]int{},
		map[string]*ast.InterfaceType{},
		map[*ast.InterfaceType]map[string]string{},
	}
	for _, p := range load(t) {
		if covered(testOnly, p.name()) {
			continue
		}
		s.dirs[p.name()], s.methods[p.name()] = p.Dir, map[string]int{}
		for _, f := range p.files {
			src, err := os.ReadFile(f.path)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f.path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.count[p.name()] += bytes.Count(src, []byte("\n"))
			s.take(p.name(), parsed)
		}
	}
	return s
}

// take records what a file declares.
func (s *syntax) take(pkg string, f *ast.File) {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		full := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = short(full)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				s.methods[pkg][receiver(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					if in, ok := ts.Type.(*ast.InterfaceType); ok {
						s.interfaces[pkg+"."+ts.Name.Name], s.imports[in] = in, imports
					}
				}
			}
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// width returns the number of methods of an interface of this module; an embedded interface from another module counts as
// one.
func (s *syntax) width(name string, seen map[string]bool) int {
	in := s.interfaces[name]
	if in == nil || seen[name] {
		return 1
	}
	seen[name] = true
	pkg, n := name[:strings.LastIndexByte(name, '.')], 0
	for _, m := range in.Methods.List {
		switch x := m.Type.(type) {
		case *ast.FuncType:
			n += len(m.Names)
		case *ast.Ident:
			n += s.width(pkg+"."+x.Name, seen)
		case *ast.SelectorExpr:
			if from, ok := x.X.(*ast.Ident); ok {
				n += s.width(s.imports[in][from.Name]+"."+x.Sel.Name, seen)
			}
		}
	}
	return n
}

func (s *syntax) packages() []string          { return sortedKeys(s.dirs) }
func (s *syntax) lines(pkg string) int        { return s.count[pkg] }
func (s *syntax) receivers(p string) []string { return sortedKeys(s.methods[p]) }
func (s *syntax) interfaceNames() []string    { return sortedKeys(s.interfaces) }

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestTheWidthOfAnInterfaceCountsWhatItEmbeds(t *testing.T) {
	s := &syntax{
		map[string]string{},
		map[string]int{},
		map[string]map[string]int{"x": {}},
		map[string]*ast.InterfaceType{},
		map[*ast.InterfaceType]map[string]string{},
	}
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import "io"
type A interface { One(); Two() }
type B interface { A; io.Reader; Three() }
func (b *T[K]) M() {}
func (b T[K]) N() {}`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.take("x", f)
	if got := s.width("x.B", map[string]bool{}); got != 4 {
		t.Errorf("B has %d methods, want 4", got)
	}
	if got := s.methods["x"]["T"]; got != 2 {
		t.Errorf("T has %d methods, want 2", got)
	}
}
