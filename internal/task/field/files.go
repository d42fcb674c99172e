package field

import "io/fs"

// Files returns every generated file of the repository by its path, from the source below root.
func Files(root fs.FS) (map[string][]byte, error) {
	task, err := ReadPackage(root, "internal/task")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	if out["internal/store/rows/rows_gen.go"], err = Rows(task); err != nil {
		return nil, err
	}
	return out, nil
}
