package field

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Files returns every generated file of the repository by its path, made from the source below root.
func Files(root fs.FS) (map[string][]byte, error) {
	task, err := ReadPackage(root, "internal/task")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, of := range []struct {
		file   string
		source func(*Package) ([]byte, error)
	}{
		{"internal/store/rows/rows_gen.go", Rows},
		{"internal/plan/fields_gen.go", Plan},
		{"internal/task/fields_gen.go", Details},
	} {
		if out[of.file], err = of.source(task); err != nil {
			return nil, err
		}
	}
	marked, err := markedPackages(root)
	if err != nil {
		return nil, err
	}
	byName := map[string]*Package{}
	for _, p := range marked {
		byName[p.Name] = p
	}
	for dir, p := range marked {
		if out[dir+"/json_gen.go"], err = JSON(p, byName); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// markedPackages returns the packages that mark types with //field:json, by their directory.
func markedPackages(root fs.FS) (map[string]*Package, error) {
	out := map[string]*Package{}
	err := fs.WalkDir(root, "internal", func(file string, d fs.DirEntry, err error) error {
		dir := path.Dir(file)
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || out[dir] != nil || dir == "internal/task/field" {
			return err
		}
		src, err := fs.ReadFile(root, file)
		if err != nil || !strings.Contains(string(src), "\n//field:json") {
			return err
		}
		out[dir], err = ReadPackage(root, dir)
		return err
	})
	return out, err
}

// Stale returns the files below root that were generated before but no longer are.
func Stale(root fs.FS, current map[string][]byte) ([]string, error) {
	var out []string
	err := fs.WalkDir(root, "internal", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_gen.go") || current[file] != nil {
			return err
		}
		src, err := fs.ReadFile(root, file)
		if err == nil && strings.HasPrefix(string(src), header) {
			out = append(out, file)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}
