package web

// AssetBytes returns the total size of the assets as sent.
func AssetBytes() (n int) {
	for _, f := range static().files {
		n += len(f.packed)
	}
	return n
}
