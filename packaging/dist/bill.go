package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"time"
)

// The parts of a CycloneDX document that we write.
type (
	bill struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Serial     string      `json:"serialNumber"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref,omitempty"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
)

// bill writes the bill of materials. It reads the linked modules and the Go version from the
// programs themselves.
func (r *release) bill(chosen []string) error {
	seen := map[string]bool{}
	out := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Components: []component{}}
	out.Metadata = metadata{r.date.Format(time.RFC3339), component{Type: "application", Ref: "tasker", Name: "tasker", Version: r.version}}
	for _, p := range chosen {
		info, err := buildinfo.Read(bytes.NewReader(r.programs[p]))
		if err != nil {
			return fmt.Errorf("what %s is made of: %w", p, err)
		}
		if goes := "pkg:golang/std@" + info.GoVersion[len("go"):]; !seen[goes] {
			seen[goes] = true
			out.Components = append(out.Components, component{"library", goes, "std", info.GoVersion[len("go"):], goes})
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			purl := "pkg:golang/" + m.Path + "@" + m.Version
			if !seen[purl] {
				seen[purl] = true
				out.Components = append(out.Components, component{"library", purl, m.Path, m.Version, purl})
			}
		}
	}
	text, err := json.Marshal(out.Components)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append(text, r.version...))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8, whose content the maker defines
	out.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	if text, err = json.MarshalIndent(out, "", "  "); err != nil {
		return err
	}
	return r.write("tasker_"+r.version+".cdx.json", append(text, '\n'))
}
