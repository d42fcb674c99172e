package web

// AssetBytes returns what all assets weigh as they are sent.
func AssetBytes() (n int) {
	for _, f := range static().files {
		n += len(f.packed)
	}
	return n
}
